// Tells a customer that the order was paid. functions/payment.ts enqueues it.
import type { JobHandler } from 'rowgate/functions';

const mailOrder: JobHandler<{ order: number }> = async ({ id, payload }, { rowgate, signal }) => {
  const found = await rowgate.dataAsAdmin.collection('orders').findById(payload.order, { include: 'customer,order_items.product' });
  const order = found as Order;
  if (order.status !== 'paid') return { sent: false };
  const lines = order.order_items.map(({ quantity, product }) => `${quantity} × ${product.name}`);
  signal.throwIfAborted();
  await rowgate.email.send({
    to: order.customer.email,
    subject: `Your order ${payload.order}`,
    html: `<p>Thank you! We pack:</p><ul>${lines.map(line => `<li>${escaped(line)}</li>`).join('')}</ul>`,
    text: `Thank you! We pack:\n${lines.join('\n')}`,
    headers: { 'X-Entity-Ref-ID': id }, // a job may be done twice: mails of one id are one mail
  });
  return { sent: true };
};

export default { handler: mailOrder, maxAttempts: 5, timeoutSeconds: 60 };

type Order = { status: string; customer: { email: string }; order_items: { quantity: number; product: { name: string } }[] };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
