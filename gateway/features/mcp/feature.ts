import type { Feature } from '../feature.ts';

/** Not built yet. */
export const mcp: Feature = { name: 'mcp', rows: [{ feature: 'mcp', root: true, paths: ['/mcp'], switch: 'mcp' }] };
