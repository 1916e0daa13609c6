import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, RefObject } from 'react'
import { Button } from './button.tsx'
import { useSettled } from './settling.ts'

interface Props {
  close: () => void
  /** What the confirming button does, such as "Cancel the order". */
  verb: string
  kind: NonNullable<ComponentProps<typeof Button>['kind']>
  /** Without it the button sends the form around it. */
  confirm?: () => void
  goBack?: RefObject<HTMLButtonElement | null>
  /** It asks and has nothing to fill in: it may stand where the press was that led to it. */
  isQuestion?: boolean
  isBusy?: boolean
  isBlocked?: boolean
}

/** The two ways out of a sheet, in one order everywhere: back first, then the action. They stay in sight, near the thumb. */
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
