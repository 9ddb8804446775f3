# OpenStack Swift in one process: account, container, object and proxy server with one disk, S3 in front.
# `swift-server.py FOLDER PORT`, as anybody; port 0 is a free one. Prints the port once it serves. Its rings, databases and files are
# below the folder, and serve again after a restart.
import logging
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi
from paste.deploy import loadapp
from swift.common import storage_policy, utils
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder

FOLDER = os.path.abspath(sys.argv[1])
DEVICES = os.path.join(FOLDER, 'devices')
SERVERS = {'account': 1, 'container': 1, 'object': 1}
COMMON = {
    'swift_dir': FOLDER, 'devices': DEVICES, 'mount_check': 'false', 'log_level': 'ERROR', 'log_address': os.path.join(FOLDER, 'log'),
    'fallocate_reserve': '0', 'disable_fallocate': 'true', 'user': '', 'workers': '0', 'bind_ip': '127.0.0.1',
}
PIPELINE = {
    'catch_errors': {}, 'gatekeeper': {}, 'listing_formats': {},
    's3api': {'s3_acl': 'false', 'location': 'us-east-1', 'allow_no_owner': 'true', 'auth_pipeline_check': 'false', 'cors_preflight_allow_origin': ''},
    'tempauth': {'user_test_tester': 'testing .admin .reseller_admin', 'user_test_other': 'othering .admin'},
    'copy': {}, 'slo': {}, 'versioned_writes': {}, 'symlink': {},
}


class Cache:
    """What memcached is to its proxy, without a limit: the servers are one process, and short-lived."""

    def __init__(self):
        self.held = {}

    def get(self, key, **_):
        return self.held.get(key)

    def set(self, key, value, **_):
        self.held[key] = value

    def delete(self, key, **_):
        self.held.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.held[key] = self.held.get(key, 0) + delta
        return self.held[key]


def sections(pipeline, app, filters, more):
    lines = ['[DEFAULT]'] + [f'{name} = {value}' for name, value in {**COMMON, **more}.items()]
    lines += ['[pipeline:main]', 'pipeline = ' + ' '.join([*pipeline, f'{app}-server']), f'[app:{app}-server]', f'use = egg:swift#{app}']
    if app == 'proxy':
        lines += ['account_autocreate = true', 'allow_account_management = true']
    for name, settings in filters.items():
        lines += [f'[filter:{name}]', f'use = egg:swift#{name}'] + [f'{key} = {value}' for key, value in settings.items()]
    return '\n'.join(lines) + '\n'


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def serve(name, sock):
    filters = PIPELINE if name == 'proxy' else {}
    path = write(f'{name}-server.conf', sections(filters, name, filters, {'bind_port': str(sock.getsockname()[1])}))
    app = loadapp(f'config:{path}', global_conf={'log_name': name, '__file__': path})
    cache = Cache()

    def cached(env, start_response):
        env['swift.cache'] = cache
        return app(env, start_response)

    eventlet.spawn(wsgi.server, sock, cached, log=logging.getLogger('none'), log_output=False, protocol=SwiftHttpProtocol)


def main():
    os.makedirs(os.path.join(DEVICES, 'disk'), exist_ok=True)
    write('swift.conf', '[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n')
    utils.SWIFT_CONF_FILE = os.path.join(FOLDER, 'swift.conf')
    utils.validate_hash_conf()
    storage_policy.reload_storage_policies()
    sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in SERVERS}
    sockets['proxy'] = eventlet.listen(('127.0.0.1', int(sys.argv[2])))
    for name in SERVERS:
        builder = RingBuilder(1, 1, 0)
        port = sockets[name].getsockname()[1]
        builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk', 'weight': 1,
                         'replication_ip': '127.0.0.1', 'replication_port': port})
        builder.rebalance()
        builder.get_ring().save(os.path.join(FOLDER, f'{name}.ring.gz'))
    for name in sockets:
        serve(name, sockets[name])
    print(sockets['proxy'].getsockname()[1], flush=True)
    eventlet.hubs.trampoline(sys.stdin.fileno(), read=True)  # until whoever started it ends
    os._exit(0)


main()
