import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { discover, projectFolder } from './files/discover.ts';
import { openFunctions } from './files/functions.ts';
import { createGates } from './gates.ts';
import { functionRoutes } from './routes.ts';
import { find } from './shared.ts';
import { openEndpoints } from './sql/endpoints.ts';
import { upstreamRoutes } from './upstream.ts';

export async function open(context: Context): Promise<Opened> {
  const { config } = context;
  const { role, basePath, functionsTimeout: timeout, functionsUpstream: upstream } = config;
  if (role === 'api' && upstream !== undefined) {
    const endpoints = openEndpoints(context, () => false);
    // Both starts have the same folder: scopes of keys name its files.
    const files = discover(projectFolder(config.functionsDir, 'functions', config), 'functions').files.map(({ name }) => name);
    return {
      routes: upstreamRoutes({ upstream, basePath, timeout }),
      lends: { functionNames: () => [...files, ...endpoints.names()] },
    };
  }
  const files = await openFunctions(context);
  const endpoints = openEndpoints(context, files.has);
  const names = () => [...files.names(), ...endpoints.names()];
  const gates = createGates(context, { names, skipped: () => files.refused().length + endpoints.skipped() });
  return {
    routes: functionRoutes({ gates, files, endpoints, timeout }),
    lends: { functionNames: names },
    shown,
    figures: endpoints.figures,
    close: files.close,
  };

  function shown(): [string, string][] {
    const { jobs, crons } = find(config);
    const namesOf = ({ files }: typeof jobs) => files.map(({ name }) => name);
    const lines: [string, string[]][] = [['Functions', names().toSorted()], ['Jobs', namesOf(jobs)], ['Schedules', namesOf(crons)]];
    return lines.flatMap(([label, names]) => names.length === 0 ? [] : [[label, names.join(', ')]]);
  }
}
