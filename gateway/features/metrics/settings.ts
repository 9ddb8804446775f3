import { setting } from '../../config/setting.ts';
import { boolean, token } from '../../config/value.ts';

export const metricsSettings = {
  metrics: setting('SERVICE_METRICS', boolean, false, 'Serve /metrics.'),
  metricsToken: setting('SERVICE_METRICS_TOKEN', token, undefined, 'Token that /metrics wants; unset: none.'),
};
