import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { SheetButtons } from '../parts/sheet-buttons.tsx'
import { Count, Panel } from '../parts/panel.tsx'
import { number } from '../words/figures.ts'
import { readOwnAccountAgain, useSessions } from './own-account.ts'
import { SessionItem } from './session-item.tsx'
import { deviceName } from './words.ts'

/** Sessions of the person, this device first; each other one can be ended. */
export function SessionsPanel({ now }: { now: number }) {
  const sessions = useSessions()
  const { state, run } = useAction<number>()
  const [isAsked, setAsked] = useState(false)
  const others = (sessions.data ?? []).filter(({ isCurrent }) => !isCurrent).length
  const endOne = (sessionId: string) =>
    void run(async () => {
      const { body } = await ask('DELETE /api/v1/sessions/{sessionId}', { path: { sessionId } })
      await readOwnAccountAgain()
      return body.data.ended
    })
  const endOthers = () =>
    void run(async () => {
      const { body } = await ask('DELETE /api/v1/sessions')
      setAsked(false)
      await readOwnAccountAgain()
      return body.data.ended
    })
  return (
    <Panel
      title={
        <>
          Sessions and devices
          {sessions.data && <Count of={sessions.data.length} />}
        </>
      }
      aside={others > 0 && <Button onClick={() => setAsked(true)}>End all others…</Button>}
    >
      {state.is === 'failed' && (
        <div className="p-4">
          <ProblemNotice problem={state.problem} />
        </div>
      )}
      <p role="status" className="sr-only">
        {state.is === 'done' &&
          `${number(state.result)} ${state.result === 1 ? 'session' : 'sessions'} ended`}
      </p>
      <Loaded query={sessions} name="The sessions">
        {(all) => (
          <ul aria-label="Sessions">
            {all
              .toSorted(
                (a, b) =>
                  Number(b.isCurrent) - Number(a.isCurrent) || b.lastUsedAt.localeCompare(a.lastUsedAt),
              )
              .map((session) => (
                <SessionItem
                  key={session.id}
                  session={session}
                  now={now}
                  end={
                    !session.isCurrent && (
                      <Button
                        disabled={state.is === 'busy'}
                        onClick={() => endOne(session.id)}
                        aria-label={`End the session of ${deviceName(session.name)} at ${session.ip}`}
                      >
                        End
                      </Button>
                    )
                  }
                />
              ))}
          </ul>
        )}
      </Loaded>
      <Sheet isOpen={isAsked} close={() => setAsked(false)} title="End all other sessions?">
        <p className="text-muted">
          {number(others)} {others === 1 ? 'device has' : 'devices have'} to sign in again. Access tokens,
          signals and exits continue.
        </p>
        {state.is === 'failed' && <ProblemNotice problem={state.problem} />}
        <SheetButtons
          close={() => setAsked(false)}
          verb="End them"
          kind="stop"
          confirm={endOthers}
          isBusy={state.is === 'busy'}
        />
      </Sheet>
    </Panel>
  )
}
