// The revenue of each category. It streams its progress as server-sent events: curl -N …/functions/report
import { streamSSE } from 'hono/streaming';
import { defineFunction, getSignal, requireAdmin } from 'rowgate/functions';

const REVENUE = `
  select coalesce(sum(i.quantity * i.unit_price), 0)::float8 as revenue
  from order_items i join products p on p.id = i.product_id join orders o on o.id = i.order_id
  where p.category_id = $1 and o.status <> 'cancelled'`;

export default defineFunction((app, { rowgate }) => {
  app.get('/', requireAdmin, async c => {
    const { data } = await rowgate.dataAsAdmin.collection('categories').find({ fields: 'id,name', orderBy: 'name' });
    const categories = data as Category[];
    return streamSSE(c, async stream => {
      let total = 0;
      for (const [done, { id, name }] of categories.entries()) {
        if (getSignal(c).aborted) return; // the reader has left
        const [row] = await rowgate.sql(REVENUE, { params: [id] });
        total += Number(row?.revenue);
        await stream.writeSSE({ event: 'progress', data: JSON.stringify({ done: done + 1, of: categories.length, name, ...row }) });
      }
      await stream.writeSSE({ event: 'report', data: JSON.stringify({ total }) });
    });
  });
});

type Category = { id: number; name: string };
