import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import * as hooks from '#web/hook/draft.ts'
import * as limits from '#web/risk/draft.ts'
import { FIGURES, type FigureName } from '#web/risk/words.ts'
import { amount, numberFault, plainNumber } from '#web/parts/amount.ts'
import { bodyOf as levelBody, type Change } from '#web/exit/change.ts'
import { noProtection, protectionBody, type LevelDraft, type ProtectionDraft } from '#web/exit/draft.ts'
import { boundsOf, NO_BOUNDS, type BoundsDraft } from '#web/token/bounds.ts'
import { NO_EXIT } from '#web/trade/exit.ts'
import { flatDraft, flatTerms, type FlatDraft } from '#web/words/flat-by-close.ts'

/** A field as a person fills it in, with the choices by which it is shown, and the texts or numbers by which it is found. */
interface Filling<T> {
  filled: Partial<T>
  shown?: Partial<T>
  found?: readonly (string | number | boolean)[]
}

/** Every field of a form: one that is added and is not here does not compile. */
type Fillings<T> = Record<keyof T, Filling<T>>

/** Fields that are filled in alone, and what they do to the request. */
function eachIsSent<T extends object>(fillings: Fillings<T>, empty: T, sent: (draft: T) => unknown): void {
  for (const [name, { filled, shown = {}, found = [] }] of Object.entries<Filling<T>>(fillings)) {
    const before = JSON.stringify(sent({ ...empty, ...shown }))
    const body = JSON.stringify(sent({ ...empty, ...shown, ...filled }))
    assert.notEqual(body, before, `${name} is not in the request`)
    for (const value of found)
      assert.ok(body.includes(JSON.stringify(value)), `${name}: ${JSON.stringify(value)} is not in ${body}`)
  }
}

const percent = (value: string): LevelDraft => ({ by: 'percent', value })

const LEVELS = {
  stop: { filled: { stop: percent('3.25') }, found: [3.25] },
  limitOffset: { filled: { limitOffset: '0.55' }, shown: { stop: percent('3') }, found: [0.55] },
  target: { filled: { target: { by: 'price', value: '120.5' } }, found: [120.5] },
  trail: { filled: { trail: { by: 'amount', value: '4.5' } }, found: [4.5] },
  trailAfter: { filled: { trailAfter: percent('2.5') }, shown: { trail: percent('4') }, found: [2.5] },
  breakEven: { filled: { breakEven: percent('1.5') }, found: [1.5] },
  until: { filled: { until: 'session' }, shown: { target: percent('3') }, found: ['session'] },
} as const satisfies Fillings<ProtectionDraft>

const size = (by: hooks.SizeBy, value: string) => new Map([['account', { by, value }]])
const template = (changes: Partial<hooks.TemplateDraft>): hooks.TemplateDraft => ({
  ...hooks.newHookDraft().template,
  ...changes,
})

const HOOK = {
  name: { filled: { name: 'Morning' }, found: ['Morning'] },
  kind: { filled: { kind: 'template' }, found: ['template'] },
  accounts: { filled: { accounts: size('multiplier', '0.55') }, found: ['account', '0.55'] },
  executeMode: { filled: { executeMode: 'pending' }, found: ['pending'] },
  strategyId: { filled: { strategyId: 'strategy' }, found: ['strategy'] },
  quantity: { filled: { quantity: '17' }, found: ['17'] },
  quantityType: { filled: { quantityType: 'riskPercent' }, found: ['riskPercent'] },
  exit: {
    filled: { exit: { ...NO_EXIT, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: '47' } },
    found: ['minutesAfterEntry', 47],
  },
  protection: { filled: { protection: 'ignore' }, found: ['ignore'] },
  flatByClose: {
    filled: { flatByClose: { isOn: true, minutes: '23', includeManual: false } },
    found: [23],
  },
  symbols: { filled: { symbols: 'SPX = SPY' }, found: ['SPY'] },
  manages: { filled: { manages: 'position' }, found: ['position'] },
  mayShort: { filled: { mayShort: true }, found: [true] },
  whenSame: { filled: { whenSame: 'add' }, found: ['add'] },
  whenOpposite: { filled: { whenOpposite: 'reverse' }, found: ['reverse'] },
  template: {
    filled: { template: template({ symbol: 'data.ticker' }) },
    shown: { kind: 'template' },
    found: ['data.ticker'],
  },
  onlyTradingView: { filled: { onlyTradingView: true }, found: ['tradingview'] },
  addresses: { filled: { addresses: '192.0.2.7' }, found: ['192.0.2.7'] },
  requestsPerMinute: { filled: { requestsPerMinute: '7' }, found: [7] },
  approvalMinutes: { filled: { approvalMinutes: '77' }, found: ['77'] },
  silence: { filled: { silence: 'everyDay' }, found: ['day'] },
  silentUntil: { filled: { silentUntil: '11:11' }, shown: { silence: 'everySession' }, found: ['11:11'] },
} as const satisfies Fillings<hooks.HookDraft>

const TEMPLATE = {
  symbol: { filled: { symbol: 'at.symbol' }, found: ['at.symbol'] },
  word: { filled: { word: 'at.word' }, found: ['at.word'] },
  buy: { filled: { buy: 'hoch' }, found: ['hoch'] },
  sell: { filled: { sell: 'runter' }, found: ['runter'] },
  close: { filled: { close: 'weg' }, found: ['weg'] },
  quantity: { filled: { quantity: 'at.quantity' }, found: ['at.quantity'] },
  orderType: { filled: { orderType: 'at.type' }, found: ['at.type'] },
  limitPrice: { filled: { limitPrice: 'at.limit' }, found: ['at.limit'] },
  id: { filled: { id: 'at.id' }, found: ['at.id'] },
} as const satisfies Fillings<hooks.TemplateDraft>

const BOUNDS = {
  pendingOnly: { filled: { pendingOnly: true }, found: ['pendingOnly'] },
  accountIds: { filled: { accountIds: new Set(['account']) }, found: ['account'] },
  symbols: { filled: { symbols: 'zebra' }, found: ['ZEBRA'] },
  maxOrderValue: { filled: { maxOrderValue: '1,234' }, found: ['1234'] },
  ownSignalsOnly: { filled: { ownSignalsOnly: true }, found: ['ownSignalsOnly'] },
} as const satisfies Fillings<BoundsDraft>

const FLAT = {
  isOn: { filled: { isOn: true } },
  minutes: { filled: { minutes: '23' }, shown: { isOn: true }, found: [23] },
  includeManual: { filled: { includeManual: true }, shown: { isOn: true }, found: [true] },
} as const satisfies Fillings<FlatDraft>

const CHANGE = {
  part: { filled: { part: 'target' }, found: ['target'] },
  level: { filled: { level: { by: 'price', value: '94.5' } }, found: [94.5] },
  after: { filled: { after: percent('2.5') }, shown: { part: 'trail' }, found: [2.5] },
} as const satisfies Fillings<Change>

describe('the forms', () => {
  it('a field that is filled in is in the levels of a signal, and alone is enough for them', () => {
    eachIsSent(LEVELS, noProtection(), (draft) => protectionBody(draft) ?? null)
  })

  it('a field that is filled in is in the hook that is made, each by itself', () => {
    eachIsSent(HOOK, hooks.newHookDraft(), hooks.bodyOf)
    const ofTemplate = { ...hooks.newHookDraft(), kind: 'template' as const }
    eachIsSent(TEMPLATE, ofTemplate.template, (draft) => hooks.bodyOf({ ...ofTemplate, template: draft }))
  })

  it('a field that is filled in is in the limits of an account, each by itself', () => {
    const empty = limits.draftOf({ set: {} })
    const figures = Object.fromEntries(
      (Object.keys(FIGURES) as FigureName[]).map((name) => [
        name,
        {
          filled: { figures: { ...empty.figures, [name]: { choice: 'own', text: '1,234' } } },
          found: [name, '1234'],
        } as const,
      ]),
    )
    const others = {
      duplicatePolicy: { filled: { duplicatePolicy: 'refuse' }, found: ['refuse'] },
      marketHours: { filled: { marketHours: 'regular' }, found: ['regular'] },
      allowedSymbols: { filled: { allowedSymbols: 'zebra' }, found: ['ZEBRA'] },
      forbiddenSymbols: { filled: { forbiddenSymbols: 'zebra' }, found: ['ZEBRA'] },
    }
    eachIsSent({ ...figures, ...others } as never, empty, limits.bodyOf)
    assert.deepEqual(Object.keys(empty).toSorted(), ['figures', ...Object.keys(others)].toSorted())
  })

  it('a field that is filled in is in the bounds of a token, the rule to be flat by the close, and a changed level', () => {
    eachIsSent(BOUNDS, NO_BOUNDS, (draft) => boundsOf(draft) ?? null)
    eachIsSent(FLAT, flatDraft(null), flatTerms)
    const change: Change = {
      part: 'stop',
      level: percent('3'),
      after: { by: '', value: '' },
    }
    eachIsSent(CHANGE, change, (draft) => levelBody(draft, {}))
  })

  it('a field that is filled in is read by the form that holds it, where the browser keeps its text', () => {
    const files = readdirSync('web', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    )
    const forms = files
      .map((file) => [file, readFileSync(`web/${file}`, 'utf8')] as const)
      .filter(([, text]) => /\btextOf\(|new FormData\(/.test(text) && text.includes('<Field'))
    assert.ok(forms.length > 10)
    for (const [file, text] of forms)
      for (const [element, , name] of text.matchAll(
        /<(Field|TextArea|SelectField|Checkbox)\b(?:(?!\/>|\n\s*>)[\s\S])*?\bname="(\w+)"[\s\S]*?(?:\/>|\n\s*>)/g,
      ))
        if (!/\bvalue=\{/.test(element) || /defaultValue=/.test(element))
          assert.match(text, new RegExp(`'${name}'`), `${file}: nothing reads ${name}`)
  })
})

describe('a number that is typed', () => {
  it('a typed number may have commas between its thousands, and is plain digits when it is read', () => {
    const cases: [typed: string, read: string, fault: boolean][] = [
      ['1000', '1000', false],
      [' 1,000 ', '1000', false],
      ['1,234,567.89', '1234567.89', false],
      ['1000,000', '1000000', false],
      ['1.', '1.', false],
      ['', '', false],
      ['-', '-', false],
      ['1,5', '1,5', true],
      ['0,125', '0,125', true],
      ['1.000,5', '1.000,5', true],
      ['½', '½', true],
      ['many', 'many', true],
      ['1e3', '1e3', true],
    ]
    for (const [typed, read, isFault] of cases) {
      assert.equal(plainNumber(typed), read)
      assert.equal(numberFault(typed), isFault ? 'Enter a number, such as 1000' : undefined, typed)
    }
    assert.equal(amount('1,000'), 1000)
    assert.equal(amount('1.'), 1)
    assert.equal(amount('.5'), 0.5)
    assert.equal(amount('1,5'), '1,5', 'the service judges it')
  })
})
