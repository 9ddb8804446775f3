// Hears from the payment service that an order was paid. Its signature is over the raw body, so that is verified before it is read.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError, defineFunction, requireEnv } from 'rowgate/functions';

/** The payment service calls again where it has heard no answer. The first call alone finds the order pending, and enqueues its mail. */
const PAY = `
  with paid as (update orders set status = 'paid' where id = $1 and status = 'pending' returning id)
  select service.enqueue('order-mail', jsonb_build_object('order', id)) from paid`;
/** Seconds that a call may be old: one that was overheard cannot be sent again later. */
const TOLERANCE = 300;

export default defineFunction((app, { rowgate }) => {
  app.post('/', async c => {
    const body = await c.req.text();
    if (!isSigned(c.req.header('payment-signature') ?? '', body)) {
      throw new ApiError(401, 'SIGNATURE_INVALID', 'The signature is not that of the payment service.');
    }
    const { type, order } = JSON.parse(body) as { type: string; order: number };
    if (type === 'payment.succeeded') await rowgate.sql(PAY, { params: [order] });
    return c.body(null, 204);
  });
});

/** `t=<seconds>,v1=<hex>`: an HMAC of time and body, as Stripe signs. */
function isSigned(header: string, body: string): boolean {
  const { t: time = '', v1 = '' } = Object.fromEntries(header.split(',').map(part => part.split('=', 2))) as Record<string, string>;
  const wanted = createHmac('sha256', requireEnv('PAYMENT_KEY')).update(`${time}.${body}`).digest();
  const given = Buffer.from(v1, 'hex');
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE;
  return isFresh && given.length === wanted.length && timingSafeEqual(given, wanted);
}
