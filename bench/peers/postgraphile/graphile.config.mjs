import { PgAggregatesPreset } from '@graphile/pg-aggregates';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

export default {
  extends: [PostGraphileAmberPreset, PgAggregatesPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, poolConfig: { max: Number(process.env.POOL) } })],
  grafserv: { host: '127.0.0.1', port: Number(process.env.PORT), graphiql: false },
};
