import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decimal } from '#domain/decimal.ts'
import { JointDesk } from '#test/support/joint-desk.ts'
import type { Desk } from '#test/support/service.ts'
import type { Ledger } from '#test/support/venue-desk.ts'
import { ClusterHavoc } from './cluster-havoc.ts'
import { readChaosOptions } from './options.ts'
import { Random } from './random.ts'

const NAMES = ['PostgreSQL', 'Temporal history 1', 'Temporal history 2', 'Temporal UI', 'API 1', 'API 2']

describe('the killing of a cluster', () => {
  it('takes each kind as often, every process of it in the end, and one at a time', async () => {
    const killed: string[] = []
    let down = 0
    const cluster = {
      processes: () => Object.fromEntries(NAMES.map((name, pid) => [name, pid])),
      kill: async (name: string) => {
        assert.equal((down += 1), 1, 'two processes are down at once')
        await sleep(1)
        killed.push(name)
        down -= 1
      },
      untilReady: async () => {},
    }
    const havoc = new ClusterHavoc(cluster, new Random(1))
    havoc.begin(1)
    while (killed.length < 60) await sleep(5)
    await havoc.end()
    assert.deepEqual(Object.keys(havoc.kills), ['PostgreSQL', 'Temporal history', 'Temporal UI', 'API'])
    const counts = Object.values(havoc.kills)
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, JSON.stringify(havoc.kills))
    assert.deepEqual([...new Set(killed)].toSorted(), NAMES.toSorted())
    const unwatched = havoc.kills['PostgreSQL']! + havoc.kills['API']!
    assert.equal(havoc.unwatched.length, unwatched)
  })

  it('ends with the error of a process that does not come back', async () => {
    const cluster = {
      processes: () => ({ 'API 1': 1 }),
      kill: () => Promise.reject(new Error('API 1 is not started again')),
      untilReady: async () => {},
    }
    const havoc = new ClusterHavoc(cluster, new Random(1))
    havoc.begin(1)
    await sleep(50)
    await assert.rejects(havoc.end(), /API 1 is not started again/)
  })

  it('the killing of a cluster is asked for by --cluster, and loses no workflows then', () => {
    const { isCluster, losesTemporal } = readChaosOptions(['--cluster'])!
    assert.deepEqual({ isCluster, losesTemporal }, { isCluster: true, losesTemporal: false })
    assert.equal(readChaosOptions([])!.isCluster, false)
  })
})

describe('the desk of several venues', () => {
  it('adds their ledgers up, and tells each of them everything', async () => {
    const told: string[] = []
    const venue = (name: string, symbol: string, cash: Decimal): Desk => {
      const tell = async (what: string): Promise<void> => void told.push(`${name} ${what}`)
      const ledger: Ledger = {
        account: { cash, openingCash: '100' },
        orders: [],
        positions: [{ symbol, qty: '1' }],
        submissions: [],
      }
      return {
        openAccount: () => tell('account'),
        ledger: async () => ledger,
        script: (rules, seed) => tell(`script ${rules.length} ${seed}`),
        clearScript: () => tell('clear'),
        activeFaults: async () => [{ rule: { of: name }, drawn: 1, hit: 1 }],
        pin: (pinned, price) => tell(`${pinned} ${price}`),
      }
    }
    const desk = new JointDesk([venue('first', 'AAPL', '90.10'), venue('second', 'MSFT', '80.05')])
    const { account, positions } = await desk.ledger()
    assert.deepEqual(account, { cash: '170.15', openingCash: '200' })
    assert.deepEqual(
      positions.map(({ symbol }) => symbol),
      ['AAPL', 'MSFT'],
    )
    await desk.script([{}], 7)
    await desk.pin('AAPL', 5)
    assert.deepEqual(told, ['first script 1 7', 'second script 1 7', 'first AAPL 5', 'second AAPL 5'])
    assert.equal((await desk.activeFaults()).length, 2)
  })
})
