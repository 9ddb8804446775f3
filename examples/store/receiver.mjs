// Prints the events of the webhook `orders` of rowgate.json: ORDERS_SECRET=whsec_… node examples/store/receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { ORDERS_SECRET = '', PORT = '4000' } = process.env;
if (!ORDERS_SECRET.startsWith('whsec_')) throw new Error('ORDERS_SECRET must be that of the gateway, whsec_ and Base64.');
const key = Buffer.from(ORDERS_SECRET.slice('whsec_'.length), 'base64');
/** Seconds that an event may be old: one that was overheard cannot be sent again later. */
const TOLERANCE = 300;

createServer(async (request, response) => {
  const body = await text(request).catch(() => ''); // the sender left
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();
  const { type, record, old_record: before } = JSON.parse(body);
  console.log(type, `order ${record.id}:`, type === 'UPDATE' ? `${before.status} → ${record.status}` : record.status);
  response.writeHead(204).end();
}).listen(PORT, '127.0.0.1', () => { console.log(`Waiting for events on http://127.0.0.1:${PORT}/`); });

/** As https://www.standardwebhooks.com has it. There are several signatures while a secret is replaced. */
function isSigned({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' }, body) {
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const given = signatures.split(' ').map(signature => Buffer.from(signature.replace(/^v1,/, ''), 'base64'));
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE;
  return isFresh && given.some(signature => signature.length === wanted.length && timingSafeEqual(signature, wanted));
}
