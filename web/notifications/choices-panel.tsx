import { useId, type ReactNode } from 'react'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { useAction } from '../parts/action.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { choicesKey, useChoices, type NotificationChoices } from './data.ts'
import { queries } from '../connection/queries.ts'
import { defaultHours, QuietHours } from './quiet-hours.tsx'

type Choices = Omit<NotificationChoices, 'quietHours'>

const CHOICES: Record<keyof Choices, { name: string; about: string }> = {
  waitingSignals: {
    name: 'Signals to approve',
    about: 'When a signal needs your approval, and when it no longer does.',
  },
  refused: {
    name: 'Refused signals',
    about:
      'Your rules or the broker refused a signal, or it could not be sent. Not signals that you reject yourself.',
  },
  filled: {
    name: 'Fills',
    about: 'An entry, or an order placed by hand, was filled.',
  },
  closed: {
    name: 'Closed positions',
    about: 'All shares of a signal are closed. With figures: the result.',
  },
  daySummary: {
    name: 'Letter of the day',
    about:
      'A summary after the close, on days with trades or positions: result, signals, positions and planned exits.',
  },
  alerts: {
    name: 'Alerts',
    about: 'What may cost money, such as a position without an exit.',
  },
  showFigures: {
    name: 'Figures on the lock screen',
    about:
      'Anyone who sees the locked phone can then read symbols, quantities, prices and results. Without them a notification only shows its kind.',
  },
}

export function ChoicesPanel() {
  const choices = useChoices()
  const isLive = useIsLive()
  const { state, run } = useAction<string>()
  const save = async (next: NotificationChoices): Promise<void> => {
    const { body } = await ask('PUT /api/v1/settings/notifications', { body: next })
    queries.setQueryData<NotificationChoices>(choicesKey, body.data)
  }
  const choose = (next: NotificationChoices, name: string) =>
    void run(async () => {
      await save(next)
      return `${name}: saved`
    })
  const isDisabled = !isLive || state.is === 'busy'
  return (
    <Panel
      title="Notify me of"
      aside={
        <span role="status" className="text-xs text-muted">
          {state.is === 'done' && state.result}
        </span>
      }
    >
      {state.is === 'failed' && (
        <div className="p-4">
          <ProblemNotice title="The choice was not saved" problem={state.problem} />
        </div>
      )}
      {/* As high as the choices, so that nothing moves below. */}
      <div className="min-h-200 desk:min-h-147">
        <Loaded query={choices} name="The choices" rows={3}>
          {(chosen) => (
            <ul>
              {(Object.keys(CHOICES) as (keyof Choices)[]).map((each) => (
                <Choice
                  key={each}
                  {...CHOICES[each]}
                  isChosen={chosen[each]}
                  isDisabled={isDisabled}
                  choose={() => choose({ ...chosen, [each]: !chosen[each] }, CHOICES[each].name)}
                />
              ))}
              <Choice
                name="Quiet hours"
                about="Outcomes and the letter of the day wait until they end. Alarms and approvals always come."
                isChosen={chosen.quietHours !== null}
                isDisabled={isDisabled}
                choose={() =>
                  choose({ ...chosen, quietHours: chosen.quietHours ? null : defaultHours() }, 'Quiet hours')
                }
              >
                {chosen.quietHours && (
                  <QuietHours
                    hours={chosen.quietHours}
                    isBlocked={isDisabled}
                    save={async (quietHours) => {
                      await save({ ...chosen, quietHours })
                      await run(async () => 'Quiet hours: saved')
                    }}
                  />
                )}
              </Choice>
            </ul>
          )}
        </Loaded>
      </div>
      <p className="border-t border-line px-4 py-3 text-xs text-muted">
        On all your channels, unless one is sent less. Refusals, fills and closed positions within 20 seconds
        are sent as one notification.
      </p>
    </Panel>
  )
}

interface ChoiceProps {
  name: string
  about: string
  isChosen: boolean
  isDisabled: boolean
  choose: () => void
  children?: ReactNode
}

function Choice({ name, about, isChosen, isDisabled, choose, children }: ChoiceProps) {
  const note = useId()
  return (
    <li className="border-line px-4 py-3 not-last:border-b">
      <Checkbox
        checked={isChosen}
        disabled={isDisabled}
        onChange={choose}
        aria-describedby={note}
        className="min-h-11 w-full items-center gap-3 font-medium desk:min-h-6"
      >
        {name}
      </Checkbox>
      <p id={note} className="pl-8 text-xs text-muted desk:pl-7">
        {about}
      </p>
      {children}
    </li>
  )
}
