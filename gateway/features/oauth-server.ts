import type { Config } from './config.ts';

/** Settings that MCP and its OAuth server need, in the order in which one that lacks is told of. */
export const MCP_SWITCHES = ['mcp', 'publicUrl', 'auth'] as const;

/** Whether the settings have MCP and its OAuth server. */
export function hasOAuthServer<Settings extends Pick<Config, typeof MCP_SWITCHES[number]>>(
  config: Settings,
): config is Settings & { publicUrl: string } {
  return config.mcp && config.publicUrl !== undefined && config.auth === 'on';
}

/** The page to which providers send people back who sign in on the consent page, below the base path. */
export const CONSENT_CALLBACK = '/oauth/authorize/callback';

/** The address of that page, where there is one. */
export function consentCallback(config: Pick<Config, typeof MCP_SWITCHES[number] | 'basePath'>): string | undefined {
  return hasOAuthServer(config) ? `${new URL(config.publicUrl).origin}${config.basePath}${CONSENT_CALLBACK}` : undefined;
}
