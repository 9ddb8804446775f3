import type { Feature } from '../feature.ts';

const contractUnavailable = {
  status: 404,
  code: 'CONTRACT_UNAVAILABLE' as const,
  message: 'The contract is served only with authentication, which is switched off (SERVICE_AUTH).',
};

/** The service's description of itself: the API document, the contract, the explorer, the start page. */
export const meta: Feature = {
  name: 'meta',
  rows: [
    { feature: 'contract', paths: ['/meta/contract'], switch: 'auth', off: contractUnavailable, built: true },
    { feature: 'swagger', paths: ['/swagger', '/swagger/*'], switch: 'swagger', built: true },
  ],
  serving: () => import('./open.ts'),
  commands: {
    types: {
      does: 'print the types of the collections for @rowgate/client',
      flags: {
        url: { type: 'string', does: 'ask the service there, with SERVICE_SERVICE_KEY, in place of the project\'s database' },
        check: { type: 'string', does: 'print no types: end with code 2 when this file has others' },
      },
      run: async ({ flags: { url, check } }, askProject) => {
        const text = (flag: unknown): string | undefined => typeof flag === 'string' ? flag : undefined;
        await (await import('./types/command.ts')).typesCommand({ url: text(url), check: text(check) }, askProject);
      },
    },
  },
};
