/** The receiver of the bench of webhooks: takes every event, without a look at it, and tells its parent how many came by how many connections. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let events = 0;
let connections = 0;
const server = createServer((request, response) => {
  events += 1;
  request.resume();
  response.writeHead(204).end();
});
server.on('connection', () => { connections += 1; });
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ events, connections }));
process.on('disconnect', () => process.exit());
