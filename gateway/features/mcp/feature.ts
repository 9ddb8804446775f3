import type { Feature } from '../feature.ts';
import { MCP_SWITCHES } from '../oauth-server.ts';

/** Not built yet. */
export const mcp: Feature = { name: 'mcp', rows: [{ feature: 'mcp', root: true, paths: ['/mcp'], switch: MCP_SWITCHES }] };
