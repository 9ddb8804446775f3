import { type Feature } from '../../http/features.ts';

export const mcpFeatures: Feature[] = [{ feature: 'mcp', root: true, paths: ['/mcp'], switch: 'mcp' }];
