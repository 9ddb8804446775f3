import type { Feature } from '../feature.ts';
import { hasOAuthServer, MCP_SWITCHES } from '../oauth-server.ts';

const documents = [
  '/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration',
];

/** The OAuth server of MCP: people let clients act for them. */
export const oauth: Feature = {
  name: 'oauth',
  source: 'auth',
  rows: [
    { feature: 'mcp', paths: ['/oauth', '/oauth/*'], switch: MCP_SWITCHES, built: true },
    { feature: 'mcp', root: true, paths: documents.flatMap(path => [path, `${path}/*`]), switch: MCP_SWITCHES, off: 'hidden', built: true },
  ],
  isOn: hasOAuthServer,
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  off: () => import('./off.ts'),
};
