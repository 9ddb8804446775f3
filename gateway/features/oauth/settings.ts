import { setting } from '../../config/setting.ts';
import { boolean, hosts } from '../../config/value.ts';

export const oauthSettings = {
  mcpOpenRegistration: setting('SERVICE_MCP_OPEN_REGISTRATION', boolean, true,
    'Whether MCP clients may register by themselves. Clients with a metadata document need no registration.'),
  mcpClientHosts: setting('SERVICE_MCP_CLIENT_HOSTS', hosts, undefined,
    'Hosts whose metadata documents name MCP clients, by commas, each with its port where it has one. Only a listed one may be private. '
    + 'Unset: any public host.'),
};
