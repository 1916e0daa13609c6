import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, RefObject } from 'react'
import { Button } from './button.tsx'
import { useSettled } from './settling.ts'

interface Props {
  close: () => void
  verb: string
  kind: NonNullable<ComponentProps<typeof Button>['kind']>
  /** Without it, the button submits the surrounding form. */
  confirm?: () => void
  goBack?: RefObject<HTMLButtonElement | null>
  /** A question without fields may be in the place of the press that opened it. */
  isQuestion?: boolean
  isBusy?: boolean
  isBlocked?: boolean
}

/** Buttons in one order everywhere, back before action, in sight near the thumb. */
export function SheetButtons({
  close,
  verb,
  kind,
  confirm,
  goBack,
  isQuestion = true,
  isBusy = false,
  isBlocked = false,
}: Props) {
  const isSettled = useSettled(isQuestion)
  return (
    <div className="sticky -bottom-5 -mx-5 -mb-5 grid grid-cols-[2fr_3fr] gap-2 border-t border-line bg-surface px-5 pt-3 pb-[max(20px,env(safe-area-inset-bottom))]">
      <Button ref={goBack} size="big" aria-disabled={!isSettled} onClick={() => isSettled && close()}>
        Go back
      </Button>
      <Button
        type={confirm ? 'button' : 'submit'}
        size="big"
        kind={kind}
        className="whitespace-normal"
        disabled={!isSettled || isBusy || isBlocked}
        onClick={confirm}
      >
        {isBusy && <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />}
        {verb}
      </Button>
    </div>
  )
}
