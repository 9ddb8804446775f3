import type { Feature } from '../feature.ts';
import { hasOAuthServer, MCP_SWITCHES } from '../oauth-server.ts';

/** Tools over rows for agents, by the Model Context Protocol. */
export const mcp: Feature = {
  name: 'mcp',
  rows: [{ feature: 'mcp', root: true, paths: ['/mcp'], switch: MCP_SWITCHES, built: true }],
  isOn: hasOAuthServer,
  serving: () => import('./open.ts'),
};
