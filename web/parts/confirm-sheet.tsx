import { useRef, type ReactNode } from 'react'
import type { Account } from '#client/types.ts'
import { isRealMoney } from '../words/signal.ts'
import { useIsLive } from '../connection/live.ts'
import { ModePill } from './mode-pill.tsx'
import { mayHaveArrived, type ActionState } from './action.ts'
import { Button } from './button.tsx'
import { Sheet } from './dialog.tsx'
import { Notice, ProblemNotice } from './notice.tsx'
import { SheetButtons } from './sheet-buttons.tsx'

interface Props<Result> {
  isOpen: boolean
  close: () => void
  title: string
  account: Account | undefined
  verb: string
  kind?: 'primary' | 'stop' | 'buy' | 'sell'
  state: ActionState<Result>
  confirm: () => void
  renderOutcome: (result: Result) => ReactNode
  isBlocked?: boolean
  children: ReactNode
}

export function ConfirmSheet<Result>(props: Props<Result>) {
  const { isOpen, close, title, state } = props
  const goBack = useRef<HTMLButtonElement>(null)
  return (
    <Sheet isOpen={isOpen} close={close} title={title} initialFocus={goBack}>
      {isOpen && (
        <div data-mode={isRealMoney(props.account) ? 'live' : 'paper'} className="grid gap-3">
          <p className="flex flex-wrap items-center gap-2">
            <ModePill isLive={isRealMoney(props.account)} />
            <span className="text-muted wrap-anywhere">{props.account?.name ?? 'unknown account'}</span>
          </p>
          {state.is !== 'done' && props.children}
          <div aria-live="polite" className="grid gap-3">
            {state.is === 'done' && props.renderOutcome(state.result)}
            {state.is === 'failed' && <Failure problem={state.problem} />}
          </div>
          <Buttons {...props} goBack={goBack} />
        </div>
      )}
    </Sheet>
  )
}

const Failure = ({ problem }: { problem: Parameters<typeof mayHaveArrived>[0] }) =>
  mayHaveArrived(problem) ? (
    <Notice kind="warn" title="Unknown yet: the answer did not arrive">
      It may have been done: check the orders. Trying again is safe: nothing is done twice.
    </Notice>
  ) : (
    <ProblemNotice
      title={problem.code === 'IDEMPOTENCY_KEY_REUSED' ? 'Already sent' : 'Nothing was done'}
      problem={problem}
    />
  )

function Buttons<Result>({
  close,
  verb,
  kind = 'primary',
  state,
  confirm,
  isBlocked = false,
  account,
  goBack,
}: Props<Result> & { goBack: React.RefObject<HTMLButtonElement | null> }) {
  const isLive = useIsLive()
  if (state.is === 'done')
    return (
      <Button ref={goBack} size="big" onClick={close}>
        Close
      </Button>
    )
  return (
    <>
      {!isLive && <p className="text-sm text-warn">Without a connection nothing is sent.</p>}
      <SheetButtons
        {...{ close, kind, confirm, goBack }}
        verb={isRealMoney(account) ? `${verb} with real money` : verb}
        isBusy={state.is === 'busy'}
        isBlocked={!isLive || isBlocked}
      />
    </>
  )
}
