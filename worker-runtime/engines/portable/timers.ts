/** Timers of Node take no more; that is 24 days. */
export const MAX_TIMER_MILLIS = 2 ** 31 - 1;
