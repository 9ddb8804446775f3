import { type Feature } from '../../http/features.ts';

const documents = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'];

/** It authorizes clients of MCP, so the two are one feature. */
export const oauthFeatures: Feature[] = [
  { feature: 'mcp', paths: ['/oauth', '/oauth/*'], switch: 'mcp' },
  { feature: 'mcp', root: true, paths: documents.flatMap(path => [path, `${path}/*`]), switch: 'mcp', off: 'hidden' },
];
