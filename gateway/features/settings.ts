import { sharedSettings } from '../config/settings.ts';
import type { SettingsTable } from '../config/read-settings.ts';
import type { Environment } from '../config/setting.ts';
import { issuerSettings } from './accounts/providers/settings.ts';
import { accountsSettings } from './accounts/settings.ts';
import { adminSettings } from './admin/settings.ts';
import { backupsSettings } from './backups/settings.ts';
import { dataSettings } from './data/settings.ts';
import { functionsSettings } from './functions/settings.ts';
import { mcpSettings } from './mcp/settings.ts';
import { metaSettings } from './meta/settings.ts';
import { metricsSettings } from './metrics/settings.ts';
import { oauthSettings } from './oauth/settings.ts';
import { realtimeSettings } from './realtime/settings.ts';
import { schemaSettings } from './schema/settings.ts';
import { slowRequestsSettings } from './slow-requests/settings.ts';
import { storageSettings } from './storage/settings.ts';

/** Every environment variable that the gateway reads. A feature that has settings adds a line. */
export const settings = {
  ...sharedSettings,
  ...metaSettings,
  ...dataSettings,
  ...storageSettings,
  ...accountsSettings,
  ...schemaSettings,
  ...adminSettings,
  ...realtimeSettings,
  ...functionsSettings,
  ...metricsSettings,
  ...slowRequestsSettings,
  ...backupsSettings,
  ...mcpSettings,
  ...oauthSettings,
};

/** With those whose names the environment chooses. */
export function settingsIn(env: Environment): SettingsTable {
  return { ...settings, ...issuerSettings(env) };
}
