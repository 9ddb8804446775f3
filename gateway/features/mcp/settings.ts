import { setting } from '../../config/setting.ts';
import { boolean } from '../../config/value.ts';

export const mcpSettings = {
  mcp: setting('SERVICE_MCP_ENABLED', boolean, false, 'Serve /mcp and its OAuth server.'),
};
