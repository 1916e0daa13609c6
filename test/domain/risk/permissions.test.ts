import assert from 'node:assert/strict'
import {
  accountMay,
  leavesBeforeSettlement,
  restrictionsOf,
  type AccountPermissions,
  type AssetPermissions,
  type KnownPermissions,
} from '#domain/risk/permissions.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import { ACTIONS, isOpening, type Action } from '#domain/signal/signal.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'

const AT = '2026-03-02T15:00:00.000Z'
const known = (changes: Partial<AccountPermissions>): KnownPermissions => ({
  ...UNRESTRICTED,
  ...changes,
  at: AT,
})
const TRADED: AssetPermissions = { tradable: true, shortable: true, easyToBorrow: true }

describe('what an account may do at its broker', () => {
  type Outcome = string
  /** The outcome of openLong without an exit, openLong that is left early, openShort without an exit, openShort that is left early. */
  type Row = [string, KnownPermissions | null, AssetPermissions | null, [Outcome, Outcome, Outcome, Outcome]]
  const all = (outcome: Outcome): Row[3] => [outcome, outcome, outcome, outcome]
  const shorts = (outcome: Outcome): Row[3] => ['permitted', 'permitted', outcome, outcome]
  const blocked = (why: string) => known({ blocks: [why] })
  const UNTRADED = { ...TRADED, tradable: false }
  const WARNED: Row[3] = ['permitted', 'warned', 'permitted', 'permitted']
  const TABLE: Row[] = [
    ['nothing is known', null, null, all('unknown')],
    ['nothing is restricted', known({}), TRADED, all('permitted')],
    ['only the account is known', known({}), null, all('permitted')],
    ['only the asset is known', null, TRADED, all('permitted')],
    ['its status is not ACTIVE', blocked('its status is ONBOARDING'), TRADED, all('TRADING_BLOCKED')],
    ['trading is blocked', blocked('trading is blocked'), TRADED, all('TRADING_BLOCKED')],
    [
      'it is blocked, and the asset is unknown',
      blocked('the account is blocked'),
      null,
      all('TRADING_BLOCKED'),
    ],
    ['it sells nothing short', known({ sellsShort: false }), TRADED, shorts('SHORTING_NOT_PERMITTED')],
    ['whether it sells short is unknown', known({ sellsShort: null }), TRADED, all('permitted')],
    ['the asset is not traded', known({}), UNTRADED, all('ASSET_NOT_TRADABLE')],
    ['the asset is not traded, and the account is unknown', null, UNTRADED, all('ASSET_NOT_TRADABLE')],
    ['the asset is not shortable', known({}), { ...TRADED, shortable: false }, shorts('ASSET_NOT_SHORTABLE')],
    [
      'the asset is not easy to borrow',
      known({}),
      { ...TRADED, easyToBorrow: false },
      shorts('ASSET_NOT_SHORTABLE'),
    ],
    ['less has settled than the order takes', known({ settledCash: '4999.99' }), TRADED, WARNED],
    ['as much has settled as the order takes', known({ settledCash: '5000' }), TRADED, all('permitted')],
  ]
  const outcomeOf = (action: Action, row: Row, leavesEarly: boolean): string => {
    const permission = accountMay(
      { action, symbol: 'AAPL', cost: '5000' },
      { account: row[1], asset: row[2] },
      leavesEarly,
    )
    assert.ok(permission.message.length > 0)
    return permission.outcome === 'denied' ? permission.code : permission.outcome
  }
  for (const row of TABLE) {
    it(`an account that is ${row[0]}: every action, with an early exit and without`, () => {
      assert.deepEqual(
        (['openLong', 'openShort'] as const).flatMap((action) => [
          outcomeOf(action, row, false),
          outcomeOf(action, row, true),
        ]),
        row[3],
      )
    })
  }

  it('a close is never refused, for any answer of the broker', () => {
    for (const action of ACTIONS.filter((each) => !isOpening(each)))
      for (const row of TABLE)
        for (const leavesEarly of [false, true]) assert.equal(outcomeOf(action, row, leavesEarly), 'exempt')
  })

  it('a denial says when the broker was asked, and a cost that is not known warns of nothing', () => {
    const blocked = known({ blocks: ['trading is blocked', 'the account is blocked'] })
    const asked = { action: 'openLong', symbol: 'AAPL', cost: null } as const
    assert.equal(
      accountMay(asked, { account: blocked, asset: null }, true).message,
      `The account cannot trade at the moment: its broker says that trading is blocked, and that the account is blocked (asked at ${AT})`,
    )
    const poor = { account: known({ settledCash: '0' }), asset: null }
    assert.equal(accountMay(asked, poor, true).outcome, 'permitted')
  })

  it('restrictions are put in a sentence each, and none where nothing is known', () => {
    assert.deepEqual(restrictionsOf(null), [])
    assert.deepEqual(restrictionsOf(known({ sellsShort: null })), [])
    assert.deepEqual(restrictionsOf(known({ blocks: ['trading is blocked'], sellsShort: false })), [
      'The account cannot trade at the moment: its broker says that trading is blocked',
      'The account may not sell short at its broker',
    ])
  })
})

describe('an exit before the cash of today has settled', () => {
  const session = (date: string) => ({
    date,
    opensAt: `${date}T14:30:00.000Z`,
    closesAt: `${date}T21:00:00.000Z`,
  })
  const sessions = ['2026-03-02', '2026-03-03', '2026-03-04'].map(session)
  const zone = 'America/New_York'
  const isEarly = (exit: ExitRule | null, at: string, mayCloseToday = false, within = sessions) =>
    leavesBeforeSettlement(
      { exit, mayCloseToday },
      { at: Date.parse(`2026-03-02T${at}Z`), sessions: within, zone },
    )
  const clock = (clockTime: string): ExitRule => ({
    ...exitAfter(10),
    trigger: 'atClockTime',
    minutes: null,
    clockTime,
  })

  const CASES: [string, ExitRule | null, string, boolean][] = [
    ['no exit', null, '15:00', false],
    ['ten minutes later', exitAfter(10), '15:00', true],
    ['ten minutes later, of an entry that waits for the opening', exitAfter(10), '12:00', true],
    ['in the session after, as the one of today has ended by then', exitAfter(10), '20:55', false],
    ['a day later', exitAfter(1_440), '15:00', false],
    ['at a time of today', clock('15:00'), '15:00', true],
    ['at a time that has passed today', clock('09:45'), '15:00', false],
  ]
  for (const [name, exit, at, early] of CASES)
    it(`${name}: ${early ? 'early' : 'not early'}`, () => assert.equal(isEarly(exit, at), early))

  it('a level may close the position at any time', () => {
    assert.equal(isEarly(null, '15:00', true), true)
    assert.equal(isEarly(exitAfter(1_440), '15:00', true), true)
  })

  it('an exit without a calendar is taken to be early, and no exit is none', () => {
    assert.equal(isEarly(exitAfter(1_440), '15:00', false, []), true)
    assert.equal(isEarly(null, '15:00', false, []), false)
  })
})
