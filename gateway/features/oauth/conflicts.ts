import { isLoopback } from './redirects.ts';

type Settings = { mcp: boolean; publicUrl: string | undefined; nodeEnv: string };

/** Codes and tokens travel to this address. */
export function oauthConflicts({ mcp, publicUrl, nodeEnv }: Settings): string[] {
  if (!mcp || publicUrl === undefined || nodeEnv !== 'production') return [];
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || isLoopback(hostname) ? [] : ['SERVICE_PUBLIC_URL must be an https URL where SERVICE_MCP_ENABLED is on.'];
}
