import { setting } from '../../config/setting.ts';
import { wholeNumber } from '../../config/value.ts';

export const functionsSettings = {
  functionsTimeout: setting('SERVICE_FUNCTIONS_TIMEOUT_MS', wholeNumber(0), 30_000, 'Most milliseconds of a function; 0: no limit.'),
};
