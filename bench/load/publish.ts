/** The floor of realtime: uWebSockets.js publishes a frame of the same form to every client, ten times a second, without authorization. */
import * as uws from 'uWebSockets.js';

const app = uws.App().ws('/*', {
  open(socket) {
    socket.subscribe('list');
  },
  message(socket) {
    socket.send(frame());
  },
});
app.any('/*', response => { response.end('{}'); });
app.listen('127.0.0.1', Number(process.env['PORT']), () => undefined);
setInterval(() => { app.publish('list', frame()); }, 100);
process.on('SIGTERM', () => process.exit());

function frame(): string {
  const title = `at ${performance.timeOrigin + performance.now()}`;
  return JSON.stringify({
    type: 'collection_update', subscriptionId: 'list', rows: [{ id: 501_000, title }], pks: [{ fieldName: 'id', type: 'number' }],
    meta: { limit: 1, offset: 0, hasMore: true }, position: 'dCNOmK_nSY-12vHzasLXis',
  });
}
