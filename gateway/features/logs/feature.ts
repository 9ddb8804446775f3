import { adminUnavailable } from '../../identity/permissions.ts';
import type { Feature } from '../feature.ts';

/** With the earlier paths of its routes, which have no `/admin`. */
const paths = ['/admin/logs', '/admin/logs/*', '/logs', '/logs/*'];

/** The last requests of a start and lines of its log, for admins: to look through, and as a stream. */
export const logs: Feature = {
  name: 'logs',
  rows: [{ feature: 'admin', paths, switch: 'auth', off: adminUnavailable, built: true }],
  isOn: ({ auth }) => auth === 'on',
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  commands: {
    logs: {
      does: 'print the last requests and log lines of the service on PORT, the newest last',
      flags: {
        follow: { type: 'boolean', short: 'f', does: 'go on with those that come' },
        level: { type: 'string', does: 'from this level on: info (unless named), warn, error' },
        search: { type: 'string', does: 'those whose text contains this, in any case' },
        json: { type: 'boolean', does: 'as a JSON object a line, as /admin/logs answers' },
      },
      run: async ({ flags: { follow, level, search, json } }) => (await import('./command.ts')).logsCommand({
        follow: follow === true, json: json === true, level: level as string | undefined, search: search as string | undefined,
      }),
    },
    why: {
      does: 'say why the request of this id was refused: each policy and each other thing that decides, as they are now',
      takes: { words: 'REQUEST_ID', most: 1 },
      flags: {
        file: { type: 'string', does: 'look in this file of log lines (- is standard input), instead of the service on PORT' },
        body: { type: 'string', does: 'the JSON body that was sent, which no log has' },
        id: { type: 'string', does: 'the id of the row, where it was in the body' },
        json: { type: 'boolean', does: 'as a JSON object: the request, and the lines of service.access' },
      },
      run: async ({ words: [requestId], flags: { file, body, id, json } }, askProject) => (await import('./why-command.ts')).whyCommand({
        requestId, file: file as string | undefined, body: body as string | undefined, id: id as string | undefined,
        json: json === true,
      }, askProject),
    },
  },
};
