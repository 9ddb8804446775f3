import type { Feature } from '../feature.ts';

/** Files. */
export const storage: Feature = {
  name: 'storage',
  source: 'storage',
  rows: [{ feature: 'storage', paths: ['/storage', '/storage/*'], built: true }],
  lendsIn: ['functions'],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  commands: {
    storage: {
      does: 'why <read|write|delete|list> <key>: whether that may be done with a file, and which rule decides; code 2 when it may not; '
        + 'orphans: the files of properties that no row names',
      takes: { words: 'why …', most: 3 },
      flags: {
        as: { type: 'string', does: 'why: the uid of the caller; without it an anonymous caller' },
        delete: { type: 'boolean', does: 'orphans: delete them' },
        'older-than': { type: 'string', does: 'orphans: only those that were stored more hours ago than this; 24' },
        json: { type: 'boolean', does: 'as JSON' },
      },
      run: async ({ words, flags: { as, delete: remove, 'older-than': olderThan = '24', json } }, askProject) => {
        const wanted = {
          words, as: as as string | undefined, remove: remove === true, olderThan: olderThan as string, json: json === true,
        };
        await (await import('./command.ts')).storageCommand(wanted, askProject);
      },
    },
  },
};
