import { CLOSERS } from '#domain/signal/list-choices.ts'
import { EXIT_REASONS } from '#domain/exit/reason.ts'
import { z } from 'zod'
import { MANAGES } from '#domain/signal/manages.ts'
import { ORIGINS } from '#domain/signal/origin.ts'
import { EXIT_ORDER_TYPES, EXIT_STATUSES, EXIT_TIMES_IN_FORCE, EXIT_TRIGGERS } from '#domain/exit/exit.ts'
import { ORDER_TYPES, TIMES_IN_FORCE } from '#domain/order/order.ts'
import { SIGNAL_STATUSES, ACTIONS, EXECUTE_MODES, QUANTITY_TYPES } from '#domain/signal/signal.ts'
import { TIMELINE_KINDS } from '#domain/signal/timeline.ts'
import { STATUS_REASONS } from '#domain/risk/denial.ts'
import { requestIdAnswer, workflowAnswer } from '../envelopes.ts'
import { levelsAnswer, protectionAnswer } from '../exit/answers.ts'
import type { PlainRequest } from './request.ts'

const closeAnswer = z.strictObject({
  at: z.iso.datetime(),
  quantity: z.number().describe('Shares'),
  price: z.number().describe('Dollars a share, on average'),
  realisedPnl: z.number().describe('Dollars after fees'),
  by: z
    .enum(CLOSERS)
    .describe(
      'exit: its own exit; signal: another signal; person: an order placed here by hand; elsewhere: no order of this service',
    ),
  reason: z
    .enum(EXIT_REASONS)
    .describe(
      'The level of its exit that was reached, or TIME; CLOSE where they were not closed by its exit',
    ),
  clientOrderId: z
    .string()
    .nullable()
    .describe('Of the order that closed them; null for no order of this service'),
  signalId: z.uuid().nullable().describe('The signal whose order closed them'),
  person: z.string().nullable().describe('Who placed the order by hand, as named then'),
})

export const instant = () => z.iso.datetime()
export const price = () => z.number().nullable()

export const signalStatus = z
  .enum(SIGNAL_STATUSES)
  .describe(
    'pending waits for a person, scheduled for its time; queued is accepted and not sent yet; transmitted is sent and ' +
      'whether the broker has it is being found out; executed is accepted by the broker; rejected, cancelled and error ' +
      'are ends, and free the sourceId once none of its orders can work',
  )
  .meta({ id: 'SignalStatus' })
const statusReason = z.enum(STATUS_REASONS).meta({ id: 'StatusReason' })

export const advisoryAnswer = z
  .strictObject({ code: z.string().describe('Stable, for programs'), message: z.string() })
  .describe('Something a sender should know about a signal that is accepted all the same')
  .meta({ id: 'Advisory' })

const signalSummaryAnswer = z.strictObject({
  id: z.uuid(),
  status: signalStatus,
  executeMode: z.enum(EXECUTE_MODES),
  orderId: z.uuid().exactOptional().describe('The entry order, once the broker has accepted it'),
  scheduledAt: instant().exactOptional().describe('When its order is sent'),
})

export const createdAnswer = z.strictObject({
  success: z.literal(true),
  message: z.string().describe('What happened, or happens next'),
  signal: signalSummaryAnswer,
  advisories: z.array(advisoryAnswer).exactOptional(),
  requestId: requestIdAnswer,
})

const rejectionDetail = z.strictObject({
  code: z.string(),
  message: z.string(),
  signalId: z.uuid().describe('Where the signal is on record'),
  status: signalStatus,
})

const rejection = {
  error: z.string().describe('Why, with figures'),
  code: z.string().describe('A reason from the list of refusals'),
  details: z.array(rejectionDetail),
  requestId: requestIdAnswer,
}

export const rejectedAnswer = z.strictObject({ success: z.literal(false), ...rejection })
export const approvalRejectedAnswer = z.strictObject(rejection)

const exitRuleAnswer = z.strictObject({
  triggerType: z.enum(EXIT_TRIGGERS),
  triggerMinutes: z.int().nullable(),
  triggerTime: z.string().nullable().describe("HH:MM in the broker's zone"),
  orderType: z.enum(EXIT_ORDER_TYPES),
  limitPrice: price(),
  stopPrice: price(),
  timeInForce: z.enum(EXIT_TIMES_IN_FORCE),
})

const exitAnswer = z.strictObject({
  status: z
    .enum(EXIT_STATUSES)
    .describe(
      'waiting for the entry to end, scheduled for its time, submitted to the broker; the others are ends',
    ),
  submitAt: instant().nullable().describe('When it is sent'),
  orderId: z.uuid().nullable(),
  reason: z
    .string()
    .nullable()
    .describe('Why it is not out, not filled, or sent at another time than asked for'),
})

type ShownField = Exclude<keyof PlainRequest, 'replaceExisting' | 'dryRun'>

export const signalAnswer = z
  .strictObject({
    id: z.uuid(),
    accountId: z.uuid(),
    strategyId: z.uuid().nullable(),
    sourceId: z.string().nullable(),
    symbol: z.string(),
    action: z.enum(ACTIONS),
    quantity: z.number().describe('Shares, percent or dollars, as quantityType says'),
    quantityType: z.enum(QUANTITY_TYPES),
    executeMode: z.enum(EXECUTE_MODES),
    orderType: z.enum(ORDER_TYPES),
    limitPrice: price(),
    stopPrice: price(),
    timeInForce: z.enum(TIMES_IN_FORCE),
    expiresAt: instant().nullable().describe('When the order ends (gtd)'),
    extendedHours: z.boolean(),
    scheduledAt: instant().nullable().describe('When the order is sent'),
    validUntil: instant().nullable().describe('When the signal expires'),
    timezone: z.string().nullable(),
    exitRule: exitRuleAnswer.nullable().describe('The exit that was asked for'),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    targetPosition: z
      .number()
      .nullable()
      .describe(
        'The position that it wants, in shares; action and quantity are then those of its order, once that is decided',
      ),
    targetAt: instant().nullable().describe('When its sender meant that; null where its arrival counts'),
    wish: z
      .string()
      .nullable()
      .describe(
        'What it asks for, in words, where a message of a hook said that: its order depends on what is held when it is sent',
      ),
    origin: z
      .enum(ORIGINS)
      .describe(
        'Who asks: a program, a hook, a person by a ticket, a close, a flattening; adopted: made by this service for shares that were held already',
      ),
    manages: z
      .enum(MANAGES)
      .nullable()
      .describe('Which shares a target or a closing action is about; null for an opening action'),
    continues: z
      .uuid()
      .nullable()
      .describe('The signal that closed the other side first, of one that goes on with its target'),
    continuedBy: z
      .uuid()
      .nullable()
      .describe('The signal that opens the other side once the order of this one has filled; null for none'),
    groupId: z
      .uuid()
      .nullable()
      .describe('The group of signals that came with it for other accounts; null for one that came alone'),
    advisories: z.array(advisoryAnswer),
    status: signalStatus,
    statusReason: statusReason.nullable().describe('Why it has ended without its order'),
    statusDetail: z.string().nullable().describe('The reason in words'),
    orderId: z.uuid().nullable().describe('The entry order, once the broker has accepted it'),
    filledQuantity: z.number().describe('Shares of the entry'),
    avgFillPrice: price(),
    exit: exitAnswer.nullable().describe('The state of the exit; null for a signal without one'),
    protection: protectionAnswer
      .nullable()
      .describe('The stop, target and other levels of the exit; null for a signal without levels'),
    plan: levelsAnswer
      .nullable()
      .exactOptional()
      .describe(
        'The present state of the stop and target; null where they hold no shares, and left out of answers to decisions',
      ),
    closed: z
      .strictObject({
        reason: closeAnswer.shape.reason,
        realisedPnl: z.number().describe('Dollars after fees'),
      })
      .nullable()
      .exactOptional()
      .describe(
        'Why the last of its shares were closed, and what all have brought; null while some are open, and left out of answers to decisions',
      ),
    heldPrice: price().describe(
      'Dollars a share of the last trade when the signal began to wait for a person; null when it did not, or none was known',
    ),
    tokenId: z
      .uuid()
      .nullable()
      .describe('The access token that sent it; null for a person who was signed in'),
    sentBy: z
      .string()
      .nullable()
      .describe('Who sent it, as named then: a user by their address, a program by the label of its token'),
    decidedBy: z.string().nullable().describe('Who approved or declined it'),
    decidedAt: instant().nullable(),
    approvalRefused: z
      .strictObject({ code: statusReason, message: z.string(), at: instant() })
      .nullable()
      .describe('The last approval that was not taken, because the order would have been refused'),
    createdAt: instant(),
    updatedAt: instant(),
  } satisfies z.ZodRawShape & Record<ShownField, z.ZodType>)
  .meta({ id: 'Signal' })

const happened = (what: string) => instant().nullable().describe(what)

export const signalDetailAnswer = z
  .strictObject({
    ...signalAnswer.shape,
    workflow: workflowAnswer.describe('What carries the signal through, in Temporal'),
    timings: z
      .strictObject({
        receivedAt: instant(),
        checkedAt: happened('The service decided, right before its order was sent, whether it may be sent'),
        sentAt: happened('The entry order was sent to the broker'),
        acknowledgedAt: happened('The broker confirmed that it has the order'),
        filledAt: happened("The last fill of the entry, by the broker's clock"),
        exitDueAt: happened('The first exit order was to be sent, or is; as planned'),
        exitSentAt: happened('The first exit order was sent to the broker'),
        exitFilledAt: happened("The last fill of the exit, by the broker's clock"),
      })
      .describe('When each step was; null for what has not happened, or was not written down'),
    result: z
      .strictObject({
        closedQuantity: z.number().describe('Shares of its entry that are closed, by whomever'),
        realisedPnl: z.number().describe('Dollars after fees, of the shares that are closed'),
        fees: z.number().describe('Dollars paid for opening and closing these shares'),
        closes: z.array(closeAnswer).describe('The orders that closed its shares, the earliest first'),
      })
      .describe('The sum of its closed trades, from executions that are listed so far'),
  })
  .meta({ id: 'SignalDetail' })

export const signalSourceAnswer = z.strictObject({
  receivedAt: instant(),
  body: z
    .string()
    .nullable()
    .describe(
      'The text as received, with [redacted] in place of secrets and without blanks beyond 256 in a row; null where none was kept',
    ),
})

export const signalEventAnswer = z
  .strictObject({
    kind: z.enum(TIMELINE_KINDS),
    at: instant(),
    message: z.string().describe('What happened and why, for people'),
    data: z.record(z.string(), z.unknown()).nullable().describe('The same for programs, by kind'),
  })
  .meta({ id: 'SignalEvent' })

export const decidedAnswer = z.strictObject({
  signal: signalAnswer,
  advisories: z.array(advisoryAnswer).exactOptional(),
})

const decidedLineAnswer = z.strictObject({
  id: z.uuid(),
  success: z.boolean(),
  code: z.string().exactOptional().describe('Why not'),
  error: z.string().exactOptional(),
  signal: signalAnswer.exactOptional(),
})
export const decidedLinesAnswer = z.strictObject({ results: z.array(decidedLineAnswer) })

export type CreatedAnswer = z.output<typeof createdAnswer>
export type RejectedAnswer = z.output<typeof rejectedAnswer>
export type DecidedAnswer = z.output<typeof decidedAnswer>
export type ApprovalRefusedAnswer = z.output<typeof approvalRejectedAnswer>
export type Rejection = Omit<z.output<typeof approvalRejectedAnswer>, 'requestId'>
export type SignalAnswer = z.output<typeof signalAnswer>
export type SignalDetailAnswer = z.output<typeof signalDetailAnswer>
export type SignalSourceAnswer = z.output<typeof signalSourceAnswer>
export type SignalEventAnswer = z.output<typeof signalEventAnswer>
export type DecidedLineAnswer = z.output<typeof decidedLineAnswer>
export type AdvisoryAnswer = z.output<typeof advisoryAnswer>
export type { SignalStatus } from '#domain/signal/signal.ts'
