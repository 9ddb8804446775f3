import type { Config } from './config.ts';

/** Settings that MCP and its OAuth server need, in the order in which one that lacks is told of. */
export const MCP_SWITCHES = ['mcp', 'publicUrl', 'auth'] as const;

/** Whether the settings have MCP and its OAuth server. */
export function hasOAuthServer<Settings extends Pick<Config, typeof MCP_SWITCHES[number]>>(
  config: Settings,
): config is Settings & { publicUrl: string } {
  return config.mcp && config.publicUrl !== undefined && config.auth === 'on';
}
