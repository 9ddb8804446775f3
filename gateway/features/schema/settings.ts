import { setting } from '../../config/setting.ts';
import { boolean, text } from '../../config/value.ts';

export const schemaSettings = {
  schemaEditor: setting('SERVICE_SCHEMA_EDITOR', boolean, undefined,
    'Edit collection files through the service; unset: everywhere but in production, where the editor, which does not commit, stays off.'),
  liveSchemaRepository: setting('SERVICE_LIVE_SCHEMA_REPOSITORY', text, undefined,
    'Git repository that changes of collection files are committed to; the one that they lie in when unset.'),
  liveSchemaAllowMachineApply: setting('SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY', boolean, false,
    'Whether the service key and API keys may apply schema changes; they may always plan them.'),
};
