import { validateShared } from '../config/settings-file/validate-shared.ts';
import { sharedKeys } from '../config/settings-file/schema.ts';
import type { SharedSettingsFile } from '../config/settings-file/type.ts';
import type { Environment } from '../config/setting.ts';
import type { Report } from '../json/form.ts';
import { object, schemaText, text, type Schema } from '../json/json-schema.ts';
import { cronKeys, validateCrons, type CronsSetting } from './cron/settings-file.ts';
import { jobsKeys, validateJobs, type JobsSetting } from './jobs/settings-file.ts';
import { realtimeKeys, validateRealtime, type RealtimeSetting } from './realtime/settings-file.ts';
import { storageKeys, type StorageSetting } from './storage/settings-file.ts';
import { webhooksKey, type WebhookSetting } from './webhooks/settings-file.ts';

/** The settings file: settings that are no single value. A feature that has keys adds a line here and in the schema. */
export type SettingsFile = SharedSettingsFile & {
  crons?: CronsSetting;
  jobs?: JobsSetting;
  realtime?: RealtimeSetting;
  storage?: StorageSetting;
  webhooks?: WebhookSetting[];
};

export const settingsFileSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Rowgate settings',
  ...object('Settings that are no single value. An environment variable goes before its key here.', {
    $schema: text('For editors.'), ...sharedKeys, crons: cronKeys, jobs: jobsKeys, realtime: realtimeKeys, storage: storageKeys,
    webhooks: webhooksKey,
  }),
};

/** Reports what the schema cannot: names that must be there, references to other keys. */
export function validateSettingsFile(file: SettingsFile, env: Environment, report: Report): void {
  validateShared(file, env, report);
  validateCrons(file.crons ?? {}, report);
  validateJobs(file.jobs ?? {}, report);
  validateRealtime(file.realtime ?? {}, report);
}

/** The text of schemas/settings.schema.json. */
export function publishedSettingsSchema(): string {
  return schemaText(settingsFileSchema);
}
