import { BlockList, isIP } from 'node:net';

/** Ranges that are not of the public Internet: RFC 6890 and its successors. */
const PRIVATE = {
  ipv4: [
    '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
    '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
  ],
  ipv6: [
    '::1/128', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8',
    // Each holds an IPv4 address, which may be private: mapped, compatible, NAT64, 6to4.
    '::ffff:0:0/96', '::/96', '64:ff9b::/96', '2002::/16',
  ],
} as const;

/** A list for each family: one list for both would compare an IPv4 address with the range of mapped ones too. */
const blocked = { ipv4: listOf('ipv4'), ipv6: listOf('ipv6') };

function listOf(family: keyof typeof PRIVATE): BlockList {
  const list = new BlockList();
  for (const range of PRIVATE[family]) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

/** Whether an IP address is outside the public Internet, or is no address. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return blocked[family].check(address, family);
}
