import { setting } from '../../config/setting.ts';
import { boolean, coalescing, wholeNumber } from '../../config/value.ts';

export const dataSettings = {
  defaultListLimit: setting('SERVICE_DEFAULT_LIST_LIMIT', wholeNumber(1), 50, 'Page size of a list without limit.'),
  maxListLimit: setting('SERVICE_MAX_LIST_LIMIT', wholeNumber(1), 1000, 'Largest page size of a list.'),
  defaultIncludeLimit: setting('SERVICE_DEFAULT_INCLUDE_LIMIT', wholeNumber(1), 10_000,
    'Most rows that an include without limit takes of one parent; a parent with more is refused.'),
  maxIncludeLimit: setting('SERVICE_MAX_INCLUDE_LIMIT', wholeNumber(1), 10_000, 'Largest limit of an include.'),
  maxAnswerSize: setting('SERVICE_MAX_ANSWER_SIZE', wholeNumber(1), 67_108_864,
    'Largest answer of a data route in bytes, before it is compressed.'),
  bulkLimit: setting('SERVICE_BULK_LIMIT', wholeNumber(1), 1000, 'Most rows in one bulk request.'),
  batchLimit: setting('SERVICE_BATCH_LIMIT', wholeNumber(1), 1000, 'Most operations in one batch.'),
  dataRateLimit: setting('SERVICE_DATA_RATE_LIMIT', wholeNumber(1), undefined,
    'Most requests for data of one caller in any 15 minutes; unset: no limit.'),
  coalesce: setting('SERVICE_COALESCE', coalescing, 'on' as const,
    'Whether reads of one caller that wait for the same statement go as one: on, off, or always, which also makes the first wait.'),
  history: setting('SERVICE_HISTORY', boolean, true,
    'Keep the history of rows where a collection file says so, and serve it.'),
};
