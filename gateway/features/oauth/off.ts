import { MCP_SWITCHES } from '../oauth-server.ts';
import type { SharedContext } from '../feature.ts';
import { lacking } from '../switches.ts';

/** Says at the start why there is no /mcp, where it was asked for. */
export function prepare({ config, log }: SharedContext): Promise<void> {
  const setting = lacking(MCP_SWITCHES, config);
  if (config.mcp && setting !== undefined) log.warn({ setting }, `MCP and its OAuth server are not served: they need ${setting}`);
  return Promise.resolve();
}
