import { setting } from '../../config/setting.ts';
import { wholeNumber } from '../../config/value.ts';

export const slowRequestsSettings = {
  slowRequest: setting('SERVICE_SLOW_REQUEST_MS', wholeNumber(0), 1_000,
    'Milliseconds from which on a request is slow: it is logged, and counted in service.slow_requests; 0 is never.'),
};
