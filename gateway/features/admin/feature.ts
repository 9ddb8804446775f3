import { adminUnavailable } from '../../identity/permissions.ts';
import type { Feature } from '../feature.ts';

/** With the earlier paths of its routes, which have no `/admin`. */
const paths = ['/admin', '/admin/*', '/schema-editor', '/schema-editor/*'];

/** The admin surface: its gate, the audit of row security, the development mailbox. */
export const admin: Feature = {
  name: 'admin',
  rows: [{ feature: 'admin', paths, switch: 'auth', off: adminUnavailable }],
  isOn: ({ auth }) => auth === 'on',
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  commands: {
    audit: {
      does: 'look for holes in the row security of the database, worst first, each with the SQL that closes it',
      flags: {
        json: { type: 'boolean', does: 'as the JSON object that service.audit() returns' },
        'fail-on': {
          type: 'string', does: 'end with code 2 from this severity on: critical, high (unless named), medium, low, info; none',
        },
      },
      run: async ({ flags: { json, 'fail-on': failOn } }, askProject) =>
        (await import('./audit-command.ts')).auditCommand({ json: json === true, failOn: failOn as string | undefined }, askProject),
    },
  },
};
