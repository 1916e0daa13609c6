import assert from 'node:assert/strict'
import { SessionCalendar } from '#activities/brokers.ts'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

describe('sessions by any means', () => {
  const at = '2026-11-27T15:00:00.000Z'
  /** The first answers are as the broker gives them. */
  const calendarOf = (answers: number, now: () => number) => {
    const broker = new ScriptedBroker()
    broker.sessions = [...nyseSessions('2026-11-25', '2026-12-18')]
    let asked = 0
    broker.listSessions = async () => {
      if (asked++ >= answers) throw new BrokerOutcomeUnknown('no calendar today')
      return broker.sessions
    }
    return new SessionCalendar(async () => broker, now)
  }

  it('the sessions for what has to act are by the rules of the exchange, half days too, where the broker has reported none', async () => {
    const sessions = await calendarOf(0, () => Date.parse(at)).sessionsByAnyMeans('account', at)
    const today = sessions.find(({ date }) => date === '2026-11-27')
    assert.equal(today?.closesAt, '2026-11-27T18:00:00.000Z')
  })

  it('the sessions for what has to act are those that the broker has reported within the hour', async () => {
    let now = Date.parse(at)
    const calendar = calendarOf(1, () => now)
    const told = await calendar.sessionsByAnyMeans('account', at, 60_000)
    now += 600_000
    assert.equal(await calendar.sessionsByAnyMeans('account', at, 60_000), told)
  })
})
