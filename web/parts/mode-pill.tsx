/** The mode by accent, shape and word, never by colour alone. */
export const ModePill = ({ isLive }: { isLive: boolean }) =>
  isLive ? (
    <span
      data-mode="live"
      className="inline-flex h-7 items-center gap-2 rounded-full bg-accent-fill px-2.5 text-xs font-bold whitespace-nowrap text-on-fill"
    >
      <span className="size-2 rounded-full bg-on-fill" />
      LIVE · real money
    </span>
  ) : (
    <span className="inline-flex h-7 items-center rounded-full border border-dashed border-accent px-3 text-xs font-bold text-accent">
      PAPER
    </span>
  )
