import type { Config } from '../../config.ts';
import type { StorageOptions } from '../options.ts';
import type { Holders } from './holders.ts';
import type { Uploads } from './uploads.ts';

export type TusOptions = Omit<StorageOptions, 'tokens' | 'renditions'> & {
  config: Pick<Config, 'basePath' | 'publicUrl' | 'trustedProxyHops' | 'authRequire'>;
  uploads: Uploads;
  holders: Holders;
};
