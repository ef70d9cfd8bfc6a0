/*
 * The program that is installed in place of Tensordeck.exe: it writes its version and arguments to a file beside the account's data, and runs
 * until it is ended, or ends at once with --end.
 */
#include <windows.h>
#include <stdio.h>

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, LPWSTR arguments, int show) {
  WCHAR path[MAX_PATH];
  ExpandEnvironmentStringsW(L"%LOCALAPPDATA%\\Tensordeck\\started.txt", path, MAX_PATH);
  FILE *file = _wfopen(path, L"a");
  if (file) {
    fprintf(file, "%s %ls\n", VERSION, arguments);
    fclose(file);
  }
  if (wcsstr(arguments, L"--end")) return 0;
  Sleep(INFINITE);
  return 0;
}
