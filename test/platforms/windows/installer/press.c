/*
 * Presses buttons of an installer's windows, one after the other, as a person would: each argument is the label of a button, which
 * is waited for. It writes what the window said, and ends with 1 where a button does not come.
 */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

#define WAIT_MILLIS 120000
static const WCHAR *wanted;
static HWND button, window;

static void label(HWND handle, WCHAR *text, int size) {
  GetWindowTextW(handle, text, size);
  WCHAR *to = text;
  for (WCHAR *from = text; *from; from++) {
    if (*from != L'&') *to++ = *from;
  }
  *to = 0;
}

static BOOL CALLBACK look(HWND child, LPARAM top) {
  WCHAR text[512];
  label(child, text, 512);
  if (wcscmp(text, wanted) || !IsWindowVisible(child) || !IsWindowEnabled(child)) return TRUE;
  button = child;
  window = (HWND)top;
  return FALSE;
}

static BOOL CALLBACK lookIn(HWND top, LPARAM unused) {
  if (IsWindowVisible(top) && IsWindowEnabled(top)) EnumChildWindows(top, look, (LPARAM)top);
  return button == NULL;
}

static BOOL CALLBACK say(HWND child, LPARAM unused) {
  WCHAR text[2048];
  label(child, text, 2048);
  if (*text && IsWindowVisible(child)) printf("  %ls\n", text);
  return TRUE;
}

int wmain(int count, WCHAR **words) {
  for (int at = 1; at < count; at++) {
    wanted = words[at];
    button = NULL;
    for (int waited = 0; button == NULL; waited += 100) {
      EnumWindows(lookIn, 0);
      if (button) break;
      if (waited > WAIT_MILLIS) {
        printf("no button %ls\n", wanted);
        return 1;
      }
      Sleep(100);
    }
    printf("%ls\n", wanted);
    EnumChildWindows(window, say, 0);
    fflush(stdout);
    PostMessageW(button, BM_CLICK, 0, 0);
    /* The next window may have a button of the same label. */
    for (int waited = 0; waited < WAIT_MILLIS && IsWindow(button) && IsWindowVisible(button) && IsWindowEnabled(button); waited += 50) {
      Sleep(50);
      if (at + 1 < count && wcscmp(words[at + 1], wanted)) break;
    }
  }
  return 0;
}
