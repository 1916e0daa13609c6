import assert from 'node:assert/strict'
import { inFile, type Requirement } from './requirement.ts'

/** What the specification says that a field holds. */
export type FieldType =
  | 'string'
  | 'UUID'
  | 'number'
  | 'number or null'
  | 'boolean'
  | 'ISO 8601'
  | 'ISO 8601 or null'
  | 'object'
  | readonly string[]

/** A record of the specification: every field that it names, and no other unless it is `open`. */
export interface SpecifiedRecord {
  section: string
  name: string
  fields: Readonly<Record<string, FieldType>>
  /** We show more than the specification names; the description at /openapi.json has it all. */
  open?: boolean
}

const ORDER_ITEM = {
  id: 'string',
  accountId: 'string',
  brokerOrderId: 'string',
  symbol: 'string',
  side: ['BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT'],
  orderType: 'string',
  quantity: 'number',
  filledQuantity: 'number',
  limitPrice: 'number or null',
  avgFillPrice: 'number or null',
  status: ['PENDING', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'],
  timeInForce: 'string',
  createdAt: 'ISO 8601',
  filledAt: 'ISO 8601 or null',
} as const

const ACCOUNT_ITEM = {
  id: 'string',
  brokerId: 'string',
  brokerAccountId: 'string',
  name: 'string',
  type: ['MARGIN', 'CASH', 'IRA'],
  currency: 'string',
  equity: 'number',
  cashBalance: 'number',
  buyingPower: 'number',
  isActive: 'boolean',
  isDemo: 'boolean',
  isPrimary: 'boolean',
  lastSyncedAt: 'ISO 8601 or null',
} as const

const ACCOUNT_POSITION = {
  id: 'string',
  symbol: 'string',
  quantity: 'number',
  side: ['LONG', 'SHORT'],
  avgCost: 'number',
  currentPrice: 'number',
  marketValue: 'number',
  unrealisedPnl: 'number',
  unrealisedPnlPercent: 'number',
  lastUpdated: 'ISO 8601',
} as const

export const RECORDS = {
  executedSignal: {
    section: '2.3',
    name: 'signal of POST /signals, executed',
    fields: { id: 'UUID', status: 'string', executeMode: 'string', orderId: 'UUID' },
    open: true,
  },
  scheduledSignal: {
    section: '2.3',
    name: 'signal of POST /signals, scheduled',
    fields: { id: 'UUID', status: 'string', executeMode: 'string', scheduledAt: 'ISO 8601' },
    open: true,
  },
  orderItem: { section: '2.4', name: 'order of a list', fields: ORDER_ITEM, open: true },
  orderDetail: {
    section: '2.4',
    name: 'order in detail',
    fields: {
      ...ORDER_ITEM,
      stopPrice: 'number or null',
      duration: 'string',
      updatedAt: 'ISO 8601',
      account: 'object',
    },
    open: true,
  },
  accountItem: { section: '2.5', name: 'account of a list', fields: ACCOUNT_ITEM, open: true },
  accountDetail: {
    section: '2.5',
    name: 'account in detail',
    fields: {
      ...ACCOUNT_ITEM,
      dayTradingBuyingPower: 'number or null',
      marketValue: 'number',
      unrealisedPnl: 'number',
      realisedPnl: 'number',
      broker: 'object',
    },
    open: true,
  },
  position: {
    section: '2.6',
    name: 'position',
    fields: {
      ...ACCOUNT_POSITION,
      accountId: 'string',
      dayChange: 'number or null',
      dayChangePercent: 'number or null',
    },
    open: true,
  },
  accountPosition: { section: '2.6', name: 'position of one account', fields: ACCOUNT_POSITION },
  positionSummary: {
    section: '2.6',
    name: 'summary of positions',
    fields: { totalMarketValue: 'number', totalUnrealisedPnl: 'number', positionCount: 'number' },
    open: true,
  },
  asset: {
    section: '2.7',
    name: 'asset',
    fields: {
      symbol: 'string',
      name: 'string',
      exchange: 'string',
      assetClass: 'string',
      status: 'string',
      tradable: 'boolean',
      marginable: 'boolean',
      shortable: 'boolean',
      easyToBorrow: 'boolean',
      fractionable: 'boolean',
      maintenanceMarginRequirement: 'number or null',
      marginRequirementLong: 'number or null',
      marginRequirementShort: 'number or null',
    },
  },
  capabilities: {
    section: '2.7',
    name: 'capabilities of assets',
    fields: { supportsAssetLookup: 'boolean' },
  },
} as const satisfies Record<string, SpecifiedRecord>

export type RecordName = keyof typeof RECORDS

const typeInWords = (type: FieldType): string =>
  typeof type === 'string' ? type : `one of ${type.join(', ')}`

/** The title of the test that shows a field. */
export const fieldTitle = (field: string, type: FieldType): string => `holds ${field}: ${typeInWords(type)}`

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Fails unless the value is what the specification says of its field. */
export function assertType(value: unknown, type: FieldType): void {
  if (typeof type !== 'string') {
    assert.ok(type.includes(value as string), `${JSON.stringify(value)} is none of ${type.join(', ')}`)
    return
  }
  const [kind, orNull] = type.split(' or ')
  if (orNull !== undefined && value === null) return
  if (kind === 'ISO 8601') assert.match(String(value), ISO_UTC)
  else if (kind === 'UUID') assert.match(String(value), UUID)
  else assert.ok(typeof value === kind && value !== null, `${JSON.stringify(value)} is no ${kind}`)
}

const shownHere = inFile('test/contract/records.test.ts')

/** One requirement for each field of each record. */
export const recordRequirements = (section: string): Requirement[] =>
  Object.values<SpecifiedRecord>(RECORDS)
    .filter((record) => record.section === section)
    .flatMap(({ name, fields }) =>
      Object.entries(fields).map(([field, type]) => ({
        section,
        subject: `${name}: \`${field}\``,
        says: typeInWords(type),
        shownBy: shownHere(`${name} ${fieldTitle(field, type)}`),
      })),
    )
