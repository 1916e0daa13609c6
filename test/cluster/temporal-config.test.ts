import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { TEMPORAL_NODES } from '#test/cluster/temporal.ts'
import {
  HISTORY_SHARDS,
  nodeName,
  TEMPORAL_ROLES,
  writeTemporalConfigs,
} from '#test/cluster/temporal-config.ts'

interface NodeConfig {
  persistence: { numHistoryShards: number; datastores: Record<string, { sql: { password: string } }> }
  global: {
    membership: { broadcastAddress: string }
  }
  services: Record<string, { rpc: { grpcPort: number; membershipPort: number; bindOnIP: string } }>
  dynamicConfigClient: { filepath: string }
  publicClient: { hostPort: string }
}

const PORTS = {
  frontend: { grpc: 1, membership: 2 },
  history: { grpc: 4, membership: 5 },
  matching: { grpc: 7, membership: 8 },
  worker: { grpc: 10, membership: 11 },
}

describe("the configuration of a Temporal cluster's processes", () => {
  let folder: string
  const configs = new Map<string, NodeConfig>()
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'durable-trader-cluster-'))
    const cluster = {
      ports: PORTS,
      postgres: { port: 5432, user: 'temporal', password: 'p: "w"' },
      frontends: { host: '127.0.0.1', port: 7233 },
    }
    writeTemporalConfigs(folder, cluster, TEMPORAL_NODES)
    for (const node of TEMPORAL_NODES)
      configs.set(
        nodeName(node),
        parse(readFileSync(join(folder, `${nodeName(node)}.yaml`), 'utf8')) as NodeConfig,
      )
  })
  after(() => rmSync(folder, { recursive: true }))

  it("the configuration of a Temporal cluster's processes has two processes of each role but the worker, at two addresses", () => {
    assert.deepEqual(
      TEMPORAL_NODES.map((node) => `${nodeName(node)} ${node.host}`),
      [
        'frontend-1 127.0.0.1',
        'frontend-2 127.0.0.2',
        'history-1 127.0.0.1',
        'history-2 127.0.0.2',
        'matching-1 127.0.0.1',
        'matching-2 127.0.0.2',
        'worker-1 127.0.0.1',
      ],
    )
  })

  it('gives no two processes the same place to listen', () => {
    const places = TEMPORAL_NODES.flatMap((node) => {
      const config = configs.get(nodeName(node))!
      const { grpcPort, membershipPort, bindOnIP } = config.services[node.role]!.rpc
      assert.equal(bindOnIP, node.host)
      assert.equal(config.global.membership.broadcastAddress, node.host)
      return [`${bindOnIP}:${grpcPort}`, `${bindOnIP}:${membershipPort}`]
    })
    assert.equal(new Set(places).size, places.length)
  })

  it('names the ports of all roles to every process, which finds the others by them', () => {
    for (const config of configs.values())
      assert.deepEqual(
        TEMPORAL_ROLES.map((role) => config.services[role]!.rpc.grpcPort),
        TEMPORAL_ROLES.map((role) => PORTS[role].grpc),
      )
  })

  it('fixes more history shards than processes, and lets clients in by the proxy', () => {
    for (const { persistence, publicClient } of configs.values()) {
      assert.equal(persistence.numHistoryShards, HISTORY_SHARDS)
      assert.equal(publicClient.hostPort, '127.0.0.1:7233')
    }
    assert.ok(HISTORY_SHARDS >= 128)
  })

  it("keeps the database's password as it is, in files for their owner only", () => {
    for (const { persistence } of configs.values())
      for (const { sql } of Object.values(persistence.datastores)) assert.equal(sql.password, 'p: "w"')
    for (const file of readdirSync(folder))
      assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file)
  })

  it('tunes the queues by a file that every process reads', () => {
    for (const { dynamicConfigClient } of configs.values()) {
      const tuned = parse(readFileSync(dynamicConfigClient.filepath, 'utf8')) as Record<
        string,
        { value: unknown }[]
      >
      assert.deepEqual(tuned['matching.numTaskqueueReadPartitions'], [{ value: 1 }])
    }
  })
})
