import { setting } from '../../config/setting.ts';
import { boolean } from '../../config/value.ts';

export const adminSettings = {
  rlsAudit: setting('SERVICE_RLS_AUDIT', boolean, false,
    'Look for holes in row security at start and then hourly, for /admin/rls-audit.'),
};
