import assert from 'node:assert/strict'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import type { Account as StoredAccount, Signal } from '#db/entities/index.ts'
import { Account } from '#db/entities/index.ts'
import { termsOf } from '#db/signal/terms.ts'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { Action } from '#domain/signal/signal.ts'
import { createSignal } from '#test/support/factories.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'
import { placedByHand } from '#test/support/placed-by-hand.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

/** What the broker says, and the code with which each opening action is denied; every other row is held by the rule's own table. */
type Kind = [
  name: string,
  openLong: string,
  openShort: string,
  account?: Partial<AccountPermissions>,
  asset?: Partial<NonNullable<ScriptedBroker['asset']>>,
]
const SHORTLESS = 'SHORTING_NOT_PERMITTED'
const KINDS: Kind[] = [
  ['nothing is restricted', 'ready', 'ready'],
  ['trading is blocked', 'TRADING_BLOCKED', 'TRADING_BLOCKED', { blocks: ['trading is blocked'] }],
  ['the asset is not shortable', 'ready', 'ASSET_NOT_SHORTABLE', {}, { shortable: false }],
  ['little of its cash has settled', 'advised', SHORTLESS, { settledCash: '200', sellsShort: false }],
]

describe('what the broker lets an account do', () => {
  const api = useApi()
  let user: TestUser
  let account: StoredAccount
  let broker: ScriptedBroker
  let activities: Activities
  beforeEach(async () => {
    user = await api.addUser()
    broker = Object.assign(api.broker, new ScriptedBroker())
    const today = new Date().toISOString().slice(0, 10)
    broker.sessions = nyseSessions(today, `${Number(today.slice(0, 4)) + 1}-02-01`)
    const { em } = api.database
    account = await em.fork().findOneOrFail(Account, { id: user.accountId })
    const access = { secretKeys, connectBroker: () => broker, requestTimeoutMs: 4_000 }
    activities = createActivities({ em, ...access, liveTrading: true })
  })

  /** The broker says so from now on, and a sync has seen it. */
  async function say(changes: Kind[3] = {}, asset: Kind[4] = {}): Promise<void> {
    broker.balances = { ...broker.balances, permissions: { ...UNRESTRICTED, ...changes } }
    broker.asset = { ...broker.asset!, ...asset }
    await sync()
  }
  const sync = () =>
    saveAccountSnapshot(
      api.database.em.fork(),
      { accountId: user.accountId, userId: user.userId },
      { ...broker.balances, positions: broker.positions },
    )
  interface Fate {
    outcome: string
    code?: string | null
    advisories?: { code: string }[]
  }
  const fate = ({ outcome, code, advisories = [] }: Fate): string => {
    if (outcome === 'denied') return code!
    return advisories.some((each) => each.code === 'unsettled_cash') ? 'advised' : outcome
  }
  const dryRun = async (action: Action, more: object = {}): Promise<string> => {
    const wish = signalBody(user.accountId, { dryRun: true, action, quantity: 10, ...more })
    const { body } = await api.call('POST', '/api/v1/signals', { token: user.token, body: wish })
    return fate({ ...body.dryRun, advisories: body.advisories })
  }
  let symbols = 0
  /** One that no other signal waits behind. */
  const freshSymbol = () => `S${String.fromCodePoint(65 + (symbols++ % 26))}`
  const decision = async (action: Action, given: Partial<Signal> = {}): Promise<string> => {
    const fields = { symbol: freshSymbol(), ...given }
    const signal = await createSignal(api.database.em, { accountId: user.accountId, action, ...fields })
    return fate(await activities.prepareEntry(termsOf(signal)))
  }

  for (const [name, openLong, openShort, permissions, asset] of KINDS)
    it(`dry run and decision agree where ${name}`, async () => {
      await say(permissions, asset)
      for (const [action, side, wanted] of [
        ['openLong', 'BUY', openLong],
        ['openShort', 'SELL', openShort],
      ] as const) {
        const early = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 10 }
        const of = { exitRule: exitAfter(10) }
        const all = [await dryRun(action, early), await decision(action, of)]
        assert.deepEqual(all, [wanted, wanted], action)
        // Without an exit unsettled cash is no matter.
        const plain = wanted === 'advised' ? 'ready' : wanted
        const without = [await dryRun(action), await decision(action)]
        assert.deepEqual(without, [plain, plain], `${action} without an exit`)
        const order = { accountId: user.accountId, symbol: 'AAPL', side, orderType: 'MARKET', quantity: 10 }
        const wish = { token: user.token, body: { ...order, dryRun: true } }
        assert.equal(
          fate((await api.call('POST', '/api/v1/orders', wish)).body.dryRun),
          plain,
          'a manual order, dry',
        )
        const decided = await activities.prepareEntry(await placedByHand(api.database.em, account, { side }))
        assert.equal(fate(decided as Fate), plain, 'a manual order')
      }
    })

  it('a block that has been lifted since the last sync denies nothing, and one that has come since is left to the broker', async () => {
    await say({ blocks: ['trading is blocked'] })
    broker.balances = { ...broker.balances, permissions: UNRESTRICTED }
    assert.equal(await decision('openLong'), 'ready')
    await sync()
    broker.balances = { ...broker.balances, permissions: { ...UNRESTRICTED, blocks: ['trading is blocked'] } }
    const asked = broker.requests.get('getAccount') ?? 0
    assert.equal(await decision('openLong'), 'ready')
    const words = 'no order waits for a question that the last sync has answered'
    assert.equal(broker.requests.get('getAccount') ?? 0, asked, words)
  })

  it('accounts and connections show what the broker does not let an account do', async () => {
    await say({ blocks: ['trading is blocked'], sellsShort: false })
    const words = [
      'The account cannot trade at the moment: its broker says that trading is blocked',
      'The account may not sell short at its broker',
    ]
    const get = async (path: string) => {
      const { body } = await api.call('GET', path, { token: user.token })
      return body.data ?? body
    }
    assert.deepEqual((await get('/api/v1/accounts')).accounts[0].restrictions, words)
    assert.deepEqual((await get('/api/v1/brokers')).brokers[0].accounts[0].restrictions, words)
    await say()
    assert.deepEqual((await get('/api/v1/accounts')).accounts[0].restrictions, [])
  })
})
