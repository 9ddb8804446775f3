import type { Feature } from '../feature.ts';

const documents = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'];

/** The OAuth server of MCP: one switch for the two. Not built yet. */
export const oauth: Feature = {
  name: 'oauth',
  rows: [
    { feature: 'mcp', paths: ['/oauth', '/oauth/*'], switch: 'mcp' },
    { feature: 'mcp', root: true, paths: documents.flatMap(path => [path, `${path}/*`]), switch: 'mcp', off: 'hidden' },
  ],
};
