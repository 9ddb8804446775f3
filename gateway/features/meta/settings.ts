import { setting } from '../../config/setting.ts';
import { boolean } from '../../config/value.ts';

export const metaSettings = {
  swagger: setting('SERVICE_ENABLE_SWAGGER', boolean, undefined, 'Serve the API explorer; unset: everywhere but in production.'),
};
