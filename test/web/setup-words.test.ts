import assert from 'node:assert/strict'
import type { AccessToken, Account, BrokerConnection, Hook } from '#client/types.ts'
import { DEMO_TOKEN } from '#domain/account/demo.ts'
import { DEFAULT_RISK_LIMITS } from '#domain/risk/limits.ts'
import { lastContact } from '#web/broker/words.ts'
import { bodyOf, changesOf, defaultOf, draftOf, missingOf, type Draft } from '#web/risk/draft.ts'
import { boundsOf, boundsWords, NO_BOUNDS } from '#web/token/bounds.ts'
import { FIGURES, GROUPS, nameOf, valueWords, type LimitName, type Limits } from '#web/risk/words.ts'
import {
  stepsOf,
  accountsNote,
  brokersNote,
  hooksNote,
  strategiesNote,
  tokensNote,
} from '#web/setup/words.ts'
import { unreachableBecause } from '#web/token/webhook.ts'
import { ALL_SCOPES, endWords, purposeOf } from '#web/token/words.ts'

const ACCOUNT = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
const NOW = Date.parse('2026-03-02T15:00:00.000Z')
const DAY_MS = 86_400_000

const broker = (changes: Partial<BrokerConnection> = {}) =>
  ({
    status: 'connected',
    accounts: [{ id: ACCOUNT, lastSyncedAt: '2026-03-02T14:59:50.000Z' }],
    ...changes,
  }) as BrokerConnection

const token = (changes: Partial<AccessToken> = {}) =>
  ({
    kind: 'access',
    label: 'TradingView',
    expiresAt: new Date(NOW + 40 * DAY_MS).toISOString(),
    isExpired: false,
    isReadOnly: false,
    ...changes,
  }) as AccessToken

describe('the words of connections to brokers', () => {
  it('show the last contact of any of its accounts, or that there was none', () => {
    const [account] = broker().accounts
    const accounts = [null, '2026-03-02T14:00:00.000Z', '2026-03-02T14:30:00.000Z'].map((lastSyncedAt) => ({
      ...account!,
      lastSyncedAt,
    }))
    assert.equal(lastContact({ accounts }), '2026-03-02T14:30:00.000Z')
    assert.equal(lastContact({ accounts: [accounts[0]!] }), null)
  })
})

describe('the words of access tokens', () => {
  it('know which purpose some scopes are, in any order, and which are none', () => {
    assert.equal(purposeOf(new Set(['trading:read', 'signals:write'])), 'signals')
    assert.equal(purposeOf(new Set(ALL_SCOPES)), 'all')
    assert.equal(purposeOf(new Set(['signals:write'])), undefined)
    assert.equal(purposeOf(new Set()), undefined)
  })

  it('warn of one that ends soon or has ended, and not of a desktop, which ends with its session', () => {
    const ending = (days: number) => new Date(NOW + days * DAY_MS).toISOString()
    assert.deepEqual(endWords(token(), NOW), { text: 'in 40 days', isSoon: false })
    assert.deepEqual(endWords(token({ expiresAt: ending(5) }), NOW), { text: 'in 5 days', isSoon: true })
    const ended = token({ expiresAt: ending(-3), isExpired: true })
    assert.deepEqual(endWords(ended, NOW), { text: 'ended 3 days ago', isSoon: true })
    assert.deepEqual(endWords(token({ isReadOnly: true }), NOW), { text: 'with its session', isSoon: false })
    assert.deepEqual(endWords(token({ expiresAt: null }), NOW), { text: 'never', isSoon: false })
  })
})

describe('the ready webhook', () => {
  for (const [origin, why] of [
    ['https://trade.example.com', null],
    ['https://trade.example.com:8443', /only the ports 80 and 443, and this is 8443/],
    ['http://trade.example.com', /without TLS/],
    ['http://localhost:3000', /localhost is known only on this machine or network/],
    ['http://127.0.0.1:3000', /this machine or network/],
    ['https://192.168.1.20', /this machine or network/],
    ['https://nas.local', /this machine or network/],
    ['https://172.15.0.1', null],
  ] as const)
    it(`says ${why === null ? 'nothing against' : 'why TradingView cannot reach'} ${origin}`, () => {
      const said = unreachableBecause(origin)
      if (why === null) assert.equal(said, null)
      else assert.match(said ?? '', why)
    })
})

describe('the bounds of a token', () => {
  it('leave out what is not set, and read symbols and dollars as they are typed', () => {
    assert.equal(boundsOf(NO_BOUNDS), undefined)
    assert.equal(boundsOf({ ...NO_BOUNDS, symbols: ' , ', maxOrderValue: '  ' }), undefined)
    assert.deepEqual(
      boundsOf({
        pendingOnly: true,
        accountIds: new Set(['a']),
        symbols: 'aapl, msft;AAPL',
        maxOrderValue: ' 2,500.50 ',
        ownSignalsOnly: true,
      }),
      {
        pendingOnly: true,
        accountIds: ['a'],
        symbols: ['AAPL', 'MSFT'],
        maxOrderValue: '2500.50',
        ownSignalsOnly: true,
      },
    )
  })

  it('the bounds of a token are put in words, with the names of accounts', () => {
    const accounts = new Map([['a', { name: 'Paper account' } as Account]])
    assert.deepEqual(boundsWords({}, accounts), [])
    assert.deepEqual(
      boundsWords(
        {
          pendingOnly: true,
          accountIds: ['a', 'b'],
          symbols: ['AAPL'],
          maxOrderValue: 500,
          ownSignalsOnly: true,
        },
        accounts,
      ),
      [
        'only signals that wait for approval',
        'only Paper account, a removed account',
        'opens only AAPL',
        'opens at most $500.00 an order',
        'cancels only what it has sent',
      ],
    )
  })
})

describe('the limits that are being written', () => {
  const limits = (set: Partial<Limits>) => ({ limits: { ...standard, ...set }, set })
  const standard = Object.fromEntries(
    (Object.keys(DEFAULT_RISK_LIMITS) as LimitName[]).map((name) => [name, defaultOf(name)]),
  ) as Limits
  const edited = (draft: Draft, changes: Partial<Draft['figures']>): Draft => ({
    ...draft,
    figures: { ...draft.figures, ...changes },
  })

  it('the limits that are being written have words for every limit that the service has, each in one group', () => {
    for (const name of Object.keys(DEFAULT_RISK_LIMITS) as LimitName[]) assert.ok(nameOf(name), name)
    const grouped = GROUPS.flatMap(({ names }) => [...names] as string[])
    assert.deepEqual(
      Object.keys(FIGURES).toSorted(),
      [...grouped, 'duplicateWindowSeconds'].toSorted(),
      'every figure is shown',
    )
    const names = Object.keys(DEFAULT_RISK_LIMITS).map((name) => nameOf(name as LimitName))
    assert.equal(new Set(names).size, names.length, 'no two have the same name')
  })

  it('send back what was set, and leave out what has its default', () => {
    const set: Partial<Limits> = {
      maxOrderValue: 25_000,
      maxOrderShares: null,
      allowedSymbols: ['AAPL', 'MSFT'],
      forbiddenSymbols: ['GME'],
      marketHours: 'regular',
    }
    assert.deepEqual(bodyOf(draftOf({ set })), {
      maxOrderShares: null,
      maxOrderValue: '25000',
      allowedSymbols: ['AAPL', 'MSFT'],
      forbiddenSymbols: ['GME'],
      marketHours: 'regular',
    })
    assert.deepEqual(bodyOf(draftOf({ set: {} })), {})
  })

  it('show before and after in words, and which limit allows more', () => {
    const set = { maxOrderValue: 25_000 }
    const draft = edited(draftOf({ set }), {
      maxOrderValue: { choice: 'own', text: '30,000' },
      maxOrdersPerDay: { choice: 'own', text: '20' },
      priceCollarPercent: { choice: 'off', text: '' },
      duplicateWindowSeconds: { choice: 'own', text: '1' },
    })
    assert.deepEqual(changesOf(draft, limits(set), valueWords), [
      { name: 'maxOrderValue', before: '$25,000.00', after: '$30,000.00', loosens: true },
      { name: 'maxOrdersPerDay', before: '10,000 orders', after: '20 orders', loosens: false },
      { name: 'priceCollarPercent', before: '50 %', after: 'no limit', loosens: true },
      { name: 'duplicateWindowSeconds', before: '2 s', after: '1 s', loosens: true },
    ])
  })

  it('take 0 for the limit above which a person approves, and say what it means', () => {
    const draft = edited(draftOf({ set: {} }), { approvalAboveValue: { choice: 'own', text: '0' } })
    assert.deepEqual(missingOf(draft), [])
    assert.deepEqual(bodyOf(draft), { approvalAboveValue: '0' })
    assert.deepEqual(changesOf(draft, limits({}), valueWords), [
      {
        name: 'approvalAboveValue',
        before: 'no approval',
        after: 'every entry needs approval',
        loosens: false,
      },
    ])
    assert.deepEqual(changesOf(draftOf({ set: {} }), limits({ approvalAboveValue: 5000 }), valueWords), [
      { name: 'approvalAboveValue', before: '$5,000.00', after: 'no approval', loosens: true },
    ])
  })

  it('read symbols however they are separated, and distinguish a list of none from no list', () => {
    const draft = { ...draftOf({ set: {} }), forbiddenSymbols: ' gme, AMC;gme  bb ' }
    assert.deepEqual(bodyOf(draft).forbiddenSymbols, ['GME', 'AMC', 'BB'])
    assert.deepEqual(bodyOf({ ...draft, allowedSymbols: '' }).allowedSymbols, [])
    assert.equal('allowedSymbols' in bodyOf({ ...draft, allowedSymbols: null }), false)
    const [change] = changesOf({ ...draftOf({ set: {} }), allowedSymbols: '' }, limits({}), valueWords)
    assert.deepEqual([change?.before, change?.after, change?.loosens], ['all', 'none', false])
  })

  for (const text of ['', '  ', 'many', '-5', '1.', '1e9', '0x10'])
    it(`miss a number where ${JSON.stringify(text)} is written`, () => {
      const draft = edited(draftOf({ set: {} }), { maxDailyLoss: { choice: 'own', text } })
      assert.deepEqual(missingOf(draft), ['maxDailyLoss'])
      assert.deepEqual(
        missingOf(edited(draft, { maxDailyLoss: { choice: 'off', text } })),
        [],
        'what is off needs none',
      )
    })
})

describe('the first steps', () => {
  const account = { lastSyncedAt: '2026-03-02T14:59:50.000Z' } as Account
  const have = { brokers: [], accounts: [], tokens: [], hooks: [], hasSignal: false, holdsTokens: true }
  const standing = (changes: Partial<Parameters<typeof stepsOf>[0]>) =>
    stepsOf({ ...have, ...changes })?.map(({ isDone, isNext }) =>
      isDone ? 'done' : isNext ? 'next' : 'later',
    )

  it('begin with a broker, and go on with what is missing first', () => {
    assert.deepEqual(standing({}), ['next', 'later', 'later', 'later'])
    assert.deepEqual(standing({ brokers: [broker()], accounts: [{ ...account, lastSyncedAt: null }] }), [
      'done',
      'next',
      'later',
      'later',
    ])
    const begun = { brokers: [broker()], accounts: [account] }
    assert.deepEqual(standing(begun), ['done', 'done', 'next', 'later'])
    assert.deepEqual(standing({ ...begun, tokens: [token()] }), ['done', 'done', 'done', 'next'])
    assert.deepEqual(standing({ ...begun, hooks: [{} as Hook] }), ['done', 'done', 'done', 'next'])
    assert.deepEqual(
      standing({ ...begun, holdsTokens: false }),
      ['done', 'done', 'next'],
      'without a plan for tokens',
    )
  })

  it('count neither the token of a desktop nor one that has ended, nor the one that came with the installation', () => {
    const begun = { brokers: [broker()], accounts: [account] }
    const tokens = [token({ kind: 'desktop' }), token({ isExpired: true }), token({ label: DEMO_TOKEN })]
    assert.deepEqual(standing({ ...begun, tokens }), ['done', 'done', 'next', 'later'])
  })
})

describe('the notes of the set-up', () => {
  it('count what there is, and name what wants attention', () => {
    assert.equal(brokersNote([]), 'no connection yet')
    assert.equal(brokersNote([broker()]), '1 connection')
    assert.equal(brokersNote([broker(), broker({ status: 'error' })]), '2 connections, 1 failing')
    assert.equal(brokersNote([broker({ status: 'error' })]), '1 connection, failing')
    assert.equal(accountsNote([{} as Account], 'LIVE'), '1 account, real money')
    assert.equal(strategiesNote([]), 'no strategy yet')
    const refused = { lastRefusal: { at: '2026-03-02T15:00:00.000Z' }, lastAcceptedAt: null } as Hook
    const mended = { ...refused, lastAcceptedAt: '2026-03-02T15:01:00.000Z' }
    assert.equal(hooksNote([refused, mended]), '2 hooks, 1 refusing')
    assert.equal(tokensNote([token(), token({ kind: 'desktop' }), token({ isExpired: true })]), '1 token')
  })
})
