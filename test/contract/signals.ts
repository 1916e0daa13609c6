import { recordRequirements } from './records.ts'
import { inFile, requirements, type Requirement } from './requirement.ts'

const request = inFile('test/api/signals/schema.test.ts')
const create = inFile('test/api/signals/create-signal.test.ts')
const replace = inFile('test/api/signals/replace-signal.test.ts')
const decisions = inFile('test/api/signals/decisions.test.ts')
const webhook = inFile('test/service/first-signal.test.ts')
const life = inFile('test/service/life-of-a-signal.test.ts')
const sizing = inFile('test/domain/sizing.test.ts')
const exitTime = inFile('test/domain/exit-time.test.ts')
const exit = inFile('test/workflows/signal/exit.test.ts')
const entry = inFile('test/workflows/signal/entry.test.ts')
const replaceWorkflow = inFile('test/workflows/signal/replace.test.ts')
const edges = inFile('test/contract/signals.test.ts')

/** Sections 2.1 to 2.3, 3.2, 3.3, 4.1 and 6: signals. */
export const SIGNALS: Requirement[] = [
  ...requirements('2.1', [
    [
      '`symbol`',
      'required; 1-20 characters',
      request('names every missing field', 'symbol takes', 'symbol refuses'),
    ],
    ['`symbol`', 'upper-cased automatically', request('symbol is put in upper case')],
    [
      '`action`',
      'required; openLong, closeLong, openShort, closeShort',
      request('refuses another action'),
      edges('takes action'),
    ],
    ['`accountId`', 'required; UUID of the target account', request('words and flags refuse the id')],
    ['`quantity`', 'required; must be positive', request('refuses quantity 0', 'refuses quantity -1')],
    [
      '`executeMode`',
      'required; immediate, scheduled, pending',
      request('refuses another mode'),
      edges('takes executeMode'),
    ],
    [
      '`scheduledProcessAt`',
      'required when scheduled; ISO 8601 without Z; in the future',
      request('refuses the local time 2026-03-02T15:45:00Z', 'refuses a time that is over'),
      edges('asks for scheduledProcessAt'),
    ],
    [
      '`timezone`',
      'IANA zone id; required with scheduledProcessAt or validUntil',
      request('refuses a time without a zone', 'takes Europe/Berlin', 'refuses the zone'),
    ],
    [
      '`validUntil`',
      'expiration; requires timezone',
      request(
        'refuses an end before the beginning',
        'name the instant at which the signal expires with Z or an offset',
      ),
      edges('asks for timezone with validUntil'),
    ],
    [
      '`strategyId`',
      'UUID of the associated strategy',
      create('a strategy that does not exist', 'a paused strategy'),
    ],
    [
      '`quantityType`',
      'fixed (default), percentEquity, dollarAmount',
      request('fills in the defaults'),
      sizing('fixed: as asked for', 'dollars at the ask, which a buyer pays, and not at the last price'),
      life('an amount or a share of the equity'),
    ],
    [
      '`orderType`',
      'market (default), limit, stop, stopLimit',
      request(
        'order types and their prices takes',
        'order types and their prices refuses another type',
        'fills in the defaults',
      ),
    ],
    [
      '`limitPrice`',
      'required for limit and stopLimit',
      request('refuses limit without its price', 'refuses stopLimit without prices'),
    ],
    [
      '`stopPrice`',
      'required for stop and stopLimit',
      request('refuses stop without its price', 'refuses stopLimit without prices'),
    ],
    [
      '`timeInForce`',
      'day (default), gtc, opg, cls, ioc, fok, gtd',
      create('takes every size, time in force'),
      request('fills in the defaults'),
    ],
    [
      '`expiresAt`',
      'required when gtd; at most 90 days ahead',
      request(
        'expiresAt refuses nothing for gtd',
        'expiresAt takes exactly 90 days ahead',
        'expiresAt refuses more than 90 days ahead',
      ),
    ],
    ['`extendedHours`', 'boolean, default false', request('fills in the defaults', 'refuses a flag in text')],
    [
      '`sourceId`',
      'idempotency key, at most 255 characters, scoped per account',
      request('sourceId takes 255 characters', 'sourceId refuses'),
      create('lets two accounts use the same sourceId'),
    ],
    [
      '`replaceExisting`',
      'boolean, default false',
      request('fills in the defaults'),
      replace('is like any other signal when nothing holds'),
    ],
    ['`metadata`', 'custom key-value pairs', request('metadata takes any JSON', 'metadata refuses')],
  ]),
  ...requirements('2.2', [
    [
      'no `exitTriggerType`',
      'no automatic exit',
      request('absent without a trigger'),
      entry('filled at once without an exit rule'),
    ],
    [
      '`exitTriggerType`',
      'minutesAfterEntry, minutesBeforeClose, atClockTime, immediate',
      create('exit trigger'),
      request('exit rules refuses another trigger'),
    ],
    [
      '`exitTriggerMinutes`',
      'integer 0-60, required for minutesAfterEntry and minutesBeforeClose',
      request('takes 0 and 60 minutes', 'refuses 61 minutes', 'refuses 5.5 minutes'),
      edges('asks for exitTriggerMinutes'),
    ],
    [
      '`exitTriggerTime`',
      'HH:MM, 24 hours, required for atClockTime',
      request('takes a clock time', 'refuses a missing clock time', 'refuses the clock time 24:00'),
    ],
    ['`exitOrderType`', 'market, limit, stop, stopLimit, moc', create('kind of exit order')],
    [
      '`exitLimitPrice`',
      'with limit or stopLimit, rejected with any other',
      request('refuses a stopLimit exit without prices', 'refuses a market exit with a limit price'),
    ],
    [
      '`exitStopPrice`',
      'with stop or stopLimit, rejected with any other',
      request('refuses a stopLimit exit without prices', 'refuses a limit exit with a stop price'),
    ],
    [
      '`exitTimeInForce`',
      'day or cls; cls with moc',
      request('closing auction default to cls', 'refuses the closing auction with a day order'),
    ],
    [
      'the earlier form',
      '`timed` with exitTriggerValue, market or limit',
      request('earlier form mean so many minutes', 'refuses a stop exit in the earlier form'),
    ],
  ]),
  ...recordRequirements('2.3'),
  ...requirements('3.2', [
    ['pending', 'waits for manual processing', create('is answered 201 pending')],
    ['scheduled', 'waits for its time', create('is answered 202 scheduled')],
    ['queued', 'accepted, not yet sent', create('answers 202 queued')],
    ['executed', 'order placed, orderId returned', webhook('is answered 201 executed')],
    ['transmitted', 'sent, the answer is not known yet', create('answers 202 transmitted')],
    [
      'cancelled',
      'withdrawn, replaced or expired',
      life('is withdrawn before its time'),
      life('expires when no decision was taken'),
      life('replaced while it waits'),
    ],
    [
      'error',
      'could not be completed, nothing works',
      inFile('test/system/outages.test.ts')('ends as error with reason STALE'),
    ],
    [
      'rejected',
      'denied by us or rejected by the broker',
      webhook('that the broker rejects is answered 400'),
    ],
    ['(new), immediate', 'executed or transmitted; order placed; 201', webhook('is answered 201 executed')],
    [
      '(new), scheduled',
      'scheduled; 202; processed at the time',
      life('scheduled is executed when its time has come'),
    ],
    ['(new), pending', 'pending; 201', create('is answered 201 pending')],
    [
      'same sourceId, replaceExisting false',
      'existing signal returned, 200, no new signal or order',
      webhook('sent again with its sourceId'),
    ],
    [
      'replaceExisting, no order yet',
      'cancelled; new signal created',
      life('replaced while it waits gives way'),
    ],
    [
      'replaceExisting, order unfilled',
      'broker order cancelled first',
      life('with an unfilled order has it cancelled first'),
    ],
    [
      'replaceExisting, the cancel fails',
      'a warning; cancelled and replaced all the same',
      replace('when the old order could not be cancelled'),
    ],
    [
      'replaceExisting, partly or fully filled',
      'refused, naming filled and total',
      life('with a filled order is refused'),
      replace('is refused when the old order has filled, with filled and total'),
      replaceWorkflow('partly filled at the broker: rejected'),
    ],
    [
      'pending, POST process',
      'order created',
      life('pending approved by twenty people at once becomes one order'),
      decisions('answers 200 with the executed signal'),
    ],
    [
      'queued or scheduled, DELETE',
      'cancelled; scope signals:write',
      decisions('withdraws one that waits', 'takes a token that may write signals'),
    ],
    [
      'rejected, cancelled or error, same sourceId',
      'a new signal is created',
      create('takes the sourceId of a signal that is'),
    ],
  ]),
  ...requirements('3.3', [
    [
      'the exit',
      'sized to the quantity actually filled',
      exit('sized to its fill', 'when partly filled: sized to the part'),
    ],
    [
      'the exit',
      'created once the entry is terminal: filled, or ended after a partial fill',
      exit(
        'immediate: sent when the entry has ended',
        'after an entry that was CANCELLED when partly filled',
        'after an entry that was EXPIRED when partly filled',
      ),
    ],
    [
      'the entry order',
      'is never cancelled to create the exit; a gtc entry that is partly filled and works on has no exit yet',
      exit('of a gtc entry that is partly filled and still works'),
    ],
    [
      'gtc entry',
      'advisory exit_rule_tif_may_not_terminate',
      request('point out that a gtc entry may never end'),
    ],
    [
      'clock-anchored triggers',
      'after the clock time: the next session',
      exitTime('the entry ended later than that', 'the entry ended at 15:50'),
      exit('rolled to the next session'),
    ],
    [
      'minutesAfterEntry',
      'entry fill time + minutes',
      exitTime('5 minutes after entry'),
      exit('30 minutes after the entry'),
    ],
    [
      'minutesBeforeClose',
      'market close - minutes; rolls to the next market day',
      exitTime('15 minutes before the close'),
    ],
    [
      'atClockTime',
      'next occurrence, in the broker timezone',
      exitTime('at 15:45 in winter', 'at 15:45 in summer'),
    ],
    [
      'immediate',
      'at fill time',
      exitTime('immediate, in a session'),
      webhook('with an immediate exit ends flat'),
    ],
    [
      'moc',
      'must use cls',
      request('refuses the closing auction with a day order'),
      exit('for the closing auction'),
    ],
    [
      'moc with minutesBeforeClose',
      'at least 15 minutes of head-room',
      request('takes the closing auction 15 minutes ahead', 'refuses the closing auction 14 minutes ahead'),
    ],
  ]),
  ...requirements('4.1', [
    [
      '200',
      'existing signal; the message names sourceId and status and how to supersede',
      edges('names the sourceId, the status and replaceExisting'),
    ],
    [
      '201',
      'signal created or executed',
      webhook('is answered 201 executed'),
      replace('is created all the same when a newer one takes its place'),
    ],
    ['202', 'signal scheduled', create('is answered 202 scheduled')],
    [
      '400',
      'validation error or signal rejected',
      webhook('with a faulty body names every fault', 'that the broker rejects is answered 400'),
    ],
    [
      '401',
      'missing or invalid authentication',
      inFile('test/api/access/authentication.test.ts')(
        'answers a request without a credential in the envelope of its family',
      ),
    ],
    [
      '404',
      'account or strategy not found',
      create('an account that does not exist', 'a strategy that does not exist'),
    ],
    ['503', 'service disabled', create('answers 503 while signals are switched off')],
    ['validation error', 'both documented forms of a detail', webhook('in both documented forms')],
    [
      'idempotency 1',
      'same account, same sourceId: the existing signal',
      create('answers 200 with the existing signal'),
      webhook('sent fifty times at once'),
    ],
    [
      'idempotency 2',
      'the same sourceId on different accounts',
      create('lets two accounts use the same sourceId'),
    ],
    [
      'idempotency 3',
      'without sourceId every request is a new signal',
      create('makes a signal of every request without a sourceId'),
    ],
  ]),
  ...requirements('6', [
    [
      'webhooks',
      'signals arrive by POST /api/v1/signals, as JSON under application/json or text/plain',
      edges('takes a body of'),
    ],
  ]),
]
