import { useRef, useState, type ReactNode, type SubmitEvent } from 'react'
import { useIsLive } from '../connection/live.ts'
import { noAnswer, Problem } from '../connection/problem.ts'
import { Button } from './button.tsx'
import { Sheet } from './dialog.tsx'
import { FaultsOfForm } from './field.tsx'
import { ProblemNotice } from './notice.tsx'
import { SheetButtons } from './sheet-buttons.tsx'

/**
 * State of a form that is sent once at a time.
 *
 * @param places fields for refusals of one field, by code
 */
export function useSend(
  send: (form: FormData) => Promise<void>,
  places: Readonly<Record<string, string>> = {},
) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      await send(new FormData(event.currentTarget))
    } catch (error) {
      setProblem(error instanceof Problem ? atItsField(error, places) : noAnswer())
    } finally {
      setBusy(false)
    }
  }
  const faultOf = (field: string): string | undefined =>
    problem?.faults.find((fault) => fault.field === field)?.message
  const namesNoField = problem?.faults.every(({ field }) => field === '') === true
  return {
    submit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
    problem,
    /** The problem where it names no field. */
    general: namesNoField ? problem : null,
    isBusy,
    faultOf,
    /** Clears the refusal of a changed form. */
    clear: () => setProblem(null),
  }
}

function atItsField(problem: Problem, places: Readonly<Record<string, string>>): Problem {
  const { status, code, message, requestId, faults } = problem
  const field = places[code]
  return field === undefined || faults.length > 0
    ? problem
    : new Problem(status, code, message, requestId, [{ code, message, path: [field], field }])
}

export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

type Sent = ReturnType<typeof useSend>

interface FormProps extends Sent {
  action: string
  kind?: 'plain' | 'primary' | 'danger' | 'stop'
  size?: 'normal' | 'big'
  isBlocked?: boolean
  className?: string
  children?: ReactNode
}

/** Form with its button; a refusal is shown at its field, or above the button. */
export const Form = ({
  submit,
  general,
  faultOf,
  clear,
  isBusy,
  action,
  kind = 'primary',
  size = 'big',
  isBlocked = false,
  className = 'gap-4',
  children,
}: FormProps) => (
  <form onSubmit={submit} onInput={clear} className={`grid ${className}`} noValidate>
    <FaultsOfForm value={faultOf}>{children}</FaultsOfForm>
    {general && <ProblemNotice problem={general} />}
    <Button
      type="submit"
      kind={kind}
      size={size}
      disabled={isBusy || isBlocked}
      className={size === 'big' ? '' : 'justify-self-start'}
    >
      {isBusy ? 'One moment…' : action}
    </Button>
  </form>
)

interface SheetProps {
  close: () => void
  title: ReactNode
  verb: string
  kind?: 'primary' | 'stop'
  form: Sent
  /** Whether it concerns real money, with its accent. */
  isReal?: boolean
  /** Without fields: the button to go back has the focus first. */
  isQuestion?: boolean
  isBlocked?: boolean
  /** Whether it may be sent although no events arrive. */
  needsNoNews?: boolean
  children?: ReactNode
}

/** Form or question above the page, mounted only while open, so that no typed text remains. */
export function FormSheet({
  close,
  title,
  verb,
  kind = 'primary',
  form,
  isReal = false,
  isQuestion = false,
  isBlocked = false,
  needsNoNews = false,
  children,
}: SheetProps) {
  const isLive = useIsLive() || needsNoNews
  const goBack = useRef<HTMLButtonElement>(null)
  return (
    <Sheet isOpen close={close} title={title} {...(isQuestion && { initialFocus: goBack })}>
      <form
        onSubmit={form.submit}
        onInput={form.clear}
        noValidate
        data-mode={isReal ? 'live' : undefined}
        className="grid gap-4"
      >
        <FaultsOfForm value={form.faultOf}>{children}</FaultsOfForm>
        {form.general && <ProblemNotice problem={form.general} />}
        {!isLive && <p className="text-sm text-warn">Changes need a connection.</p>}
        <SheetButtons
          {...{ close, kind, goBack, isQuestion }}
          verb={form.isBusy ? 'One moment…' : verb}
          isBusy={form.isBusy}
          isBlocked={!isLive || isBlocked}
        />
      </form>
    </Sheet>
  )
}
